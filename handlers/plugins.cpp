#include "handlers/plugins.hpp"

#include "handlers/plugin_query.hpp"
#include "handlers/views/paging.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers {

http::Response PluginHandlers::list(const Call& call) {
  const views::Page page = views::read_page(call.request.query);
  db::PluginPage found;
  if (const auto filter = read_plugin_filter(call.request.query)) {
    found = dependencies_.index.page(*filter, page.offset(), page.size,
                                     dependencies_.freshness.epoch());
  }
  json::Array items;
  for (const domain::PluginSummary& plugin : found.plugins) {
    items.push_back(views::plugin_summary(plugin, dependencies_.urls));
  }
  return http::json_ok(views::page_json(page, found.total, "plugins", std::move(items)));
}

http::Response PluginHandlers::show(const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto plugin = slug ? dependencies_.plugins.find(*slug) : std::nullopt;
  if (!plugin) return dependencies_.errors.make(http::Error::not_found);
  return http::json_ok({{"plugin", views::plugin_detail(*plugin, dependencies_.urls)}});
}

}  // namespace goldsmith::handlers
