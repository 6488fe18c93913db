#include "handlers/server_catalog.hpp"

#include "app/domain/names.hpp"
#include "handlers/errors.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {
namespace {

json::Array layers_json() {
  json::Array array;
  for (const domain::LayerInfo& layer : domain::layers()) array.push_back(views::layer(layer));
  return array;
}

}  // namespace

http::Response show_catalog(const Call& call) {
  const views::Urls urls(call.services.config);
  const domain::Catalog catalog = call.services.components.load_catalog();
  json::Array components;
  for (const domain::Component& component : catalog.components()) {
    if (component.versions.empty()) continue;  // never mirrored: not in the catalog
    components.push_back(views::catalog_component(component, urls));
  }
  return http::json_ok({{"archive_root", "."},
                        {"components", std::move(components)},
                        {"docs", urls.docs()},
                        {"layers", layers_json()},
                        {"page_url", urls.server_page()},
                        {"platform", "linux"}});
}

http::Response show_component(const Call& call) {
  const std::string& slug = call.path.front();
  db::ComponentStore& store = call.services.components;
  const domain::Catalog catalog = domain::is_slug(slug) ? store.load_catalog() : domain::Catalog{};
  const domain::Component* found = catalog.find(slug);
  if (!found || found->versions.empty()) {
    return error(call.services, http::Error::not_found);
  }
  domain::Component component = *found;
  for (domain::ComponentVersion& version : component.versions) {
    version.files = store.load_files(slug, version.version);
  }
  return http::json_ok({{"component", views::component_detail(component)}});
}

}  // namespace goldsmith::handlers
