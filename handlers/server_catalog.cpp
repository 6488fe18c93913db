#include "handlers/endpoints.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {
http::Response show_catalog(Services& services, const Call&) {
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  json::Array components;
  for (const domain::Component& component : catalog->components()) {
    if (component.versions.empty()) continue;  // never mirrored: not in the catalog
    components.push_back(views::catalog_component(component, services.urls));
  }
  return http::json_ok({{"archive_root", "."},
                        {"components", std::move(components)},
                        {"docs", services.urls.docs()},
                        {"layers", json::array_of(domain::layers(), views::layer)},
                        {"page_url", services.urls.server_page()},
                        {"platform", "linux"}});
}

http::Response show_component(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  const domain::Component* found = slug ? catalog->find(*slug) : nullptr;
  if (!found || found->versions.empty()) {
    return services.errors.make(http::Error::not_found);
  }
  domain::Component component = *found;
  for (domain::ComponentVersion& version : component.versions) {
    version.files = services.components.load_files(*slug, version.version);
    version.sources = services.components.load_sources(*slug, version.version);
  }
  return http::json_ok({{"component", views::component_detail(component)}});
}

}  // namespace goldsmith::handlers
