#include "handlers/builds.hpp"
#include "handlers/endpoints.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {

web::Response resolve_server(Services& services, const Call& call) {
  const auto use = [&](const creator::Plan& plan) {
    const auto archive = services.digests.find_archive(plan.build_hash);
    web::Response response = web::json_ok(views::plan(plan, archive, services.urls));
    response.is_provisional = !archive.start;  // which comes after the digest
    return response;
  };
  return answer(services, call, plan_of(services, call), without_body(web::kJsonContentType), use);
}

web::Response preview_file(Services& services, const Call& call) {
  const Errors& errors = services.errors;
  const auto path = call.query.get("path");
  if (!path) return errors.make(domain::Error::missing_path);
  const auto use = [&](const creator::Plan& plan) {
    const creator::PlannedFile* file = creator::find_file(plan, *path);
    if (!file) return errors.make(domain::Error::not_found);
    creator::Preview preview = services.builds.preview(plan, *file);
    return web::json_ok({{"file", views::preview(*file, std::move(preview))}});
  };
  return answer(services, call, plan_of(services, call), without_body(web::kJsonContentType), use);
}

web::Response show_catalog(Services& services, const Call&) {
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  json::Array components;
  for (const domain::Component& component : catalog->components()) {
    if (component.latest() == nullptr) continue;  // nothing to choose: not in the catalog
    components.push_back(views::catalog_component(component, *catalog, services.urls));
  }
  return web::json_ok({{"archive_root", "."},
                       {"components", std::move(components)},
                       {"docs", services.urls.docs()},
                       {"layers", json::array_of(domain::layers(), views::layer)},
                       {"page_url", services.urls.server_page()},
                       {"platform", "linux"}});
}

web::Response show_component(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  const domain::Component* found = slug ? catalog->find(*slug) : nullptr;
  if (!found || found->versions.empty()) {
    return services.errors.make(domain::Error::not_found);
  }
  domain::Component component = *found;
  for (domain::ComponentVersion& version : component.versions) {
    version.files = services.components.load_files(*slug, version.version);
    version.sources = services.components.load_sources(*slug, version.version);
  }
  return web::json_ok({{"component", views::component_detail(component, *catalog)}});
}

}  // namespace goldsmith::handlers
