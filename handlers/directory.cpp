#include "handlers/endpoints.hpp"
#include "handlers/plugin_query.hpp"
#include "handlers/routes.hpp"
#include "handlers/views/paging.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers {
namespace {

json::Object endpoint_map() {
  json::Object endpoints;
  for (const Route& route : routes()) endpoints[std::string(route.name)] = route.path;
  return endpoints;
}

json::Object category_json(const domain::CategoryCount& item) {
  return {{"category", item.category}, {"count", item.count}};
}

}  // namespace

http::Response show_meta(Services& services, const Call& call) {
  const auto& lines = domain::toolchain_lines();
  const access::Caller& caller = call.caller;
  http::Response response = http::json_ok(
      {{"api_version", "v1"},
       {"auth", caller.tier()},
       {"authenticated", !caller.anonymous()},
       {"scopes", json::array_of(caller.scopes, access::to_string)},
       {"amxx_toolchains", json::Array(lines.begin(), lines.end())},
       {"plugin_categories", json::array_of(services.plugins.categories(), category_json)},
       {"rate_limits",
        json::Object{{"per_day", caller.per_day}, {"per_minute", caller.per_minute}}},
       {"endpoints", endpoint_map()},
       {"docs", services.urls.docs()}});
  response.varies_by_key = true;
  return response;
}

http::Response list_plugins(Services& services, const Call& call) {
  const views::Page page = views::read_page(call.query);
  db::PluginPage found;
  if (const auto filter = read_plugin_filter(services, call.query)) {
    found = services.index.page(*filter, page.offset(), page.size, services.freshness.epoch());
  }
  return http::json_text(views::plugin_page(page, found, services.urls));
}

http::Response show_plugin(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const std::uint64_t epoch = services.freshness.epoch();
  auto plugin = slug ? services.index.find(*slug, epoch) : std::nullopt;
  if (!plugin) return services.errors.make(http::Error::not_found);
  services.catalog.file_owners(epoch)->remove_foreign(*plugin);
  const auto owners = services.catalog.module_owners(epoch);
  return http::json_text(views::plugin_detail(
      *plugin, {services.compile_stack.watch.fingerprints(), *owners}, services.urls));
}

http::Response list_addons(Services& services, const Call& call) {
  const views::Page page = views::read_page(call.query);
  const db::AddonPage found = services.addons.list(page.offset(), page.size);
  json::Array items = json::array_of(found.addons, [&](const domain::AddonSummary& addon) {
    return views::addon_summary(addon, services.urls);
  });
  auto response = http::json_ok(views::page_json(page, found.total, "addons", std::move(items)));
  response.is_provisional = true;  // its counters and its order
  return response;
}

http::Response show_addon(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto addon = slug ? services.addons.find(*slug) : std::nullopt;
  if (!addon) return services.errors.make(http::Error::not_found);
  return http::json_ok({{"addon", views::addon_detail(*addon, services.urls)}});
}

}  // namespace goldsmith::handlers
