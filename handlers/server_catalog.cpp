#include "handlers/server_catalog.hpp"

#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {
namespace {

json::Array layers_json() {
  json::Array array;
  for (const domain::LayerInfo& layer : domain::layers()) array.push_back(views::layer(layer));
  return array;
}

}  // namespace

http::Response CatalogHandlers::show(const Call&) {
  const domain::Catalog catalog = components_.load_catalog();
  json::Array components;
  for (const domain::Component& component : catalog.components()) {
    if (component.versions.empty()) continue;  // never mirrored: not in the catalog
    components.push_back(views::catalog_component(component, urls_));
  }
  return http::json_ok({{"archive_root", "."},
                        {"components", std::move(components)},
                        {"docs", urls_.docs()},
                        {"layers", layers_json()},
                        {"page_url", urls_.server_page()},
                        {"platform", "linux"}});
}

http::Response CatalogHandlers::show_component(const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const domain::Catalog catalog = slug ? components_.load_catalog() : domain::Catalog{};
  const domain::Component* found = slug ? catalog.find(*slug) : nullptr;
  if (!found || found->versions.empty()) {
    return errors_.make(http::Error::not_found);
  }
  domain::Component component = *found;
  for (domain::ComponentVersion& version : component.versions) {
    version.files = components_.load_files(*slug, version.version);
    version.sources = components_.load_sources(*slug, version.version);
  }
  return http::json_ok({{"component", views::component_detail(component)}});
}

}  // namespace goldsmith::handlers
