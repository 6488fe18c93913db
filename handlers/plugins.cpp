#include "handlers/plugins.hpp"

#include "handlers/plugin_query.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers {

http::Response PluginHandlers::list(const Call& call) {
  const views::Page page = views::read_page(call.query);
  db::PluginPage found;
  if (const auto filter = read_plugin_filter(call.query.get("q"), call.query.get("category"))) {
    found = dependencies_.index.page(*filter, page.offset(), page.size,
                                     dependencies_.freshness.epoch());
  }
  return http::json_text(views::plugin_page(page, found, dependencies_.urls));
}

http::Response PluginHandlers::show(const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto plugin =
      slug ? dependencies_.index.find(*slug, dependencies_.freshness.epoch()) : std::nullopt;
  if (!plugin) return dependencies_.errors.make(http::Error::not_found);
  return http::json_text(
      views::plugin_detail(*plugin, dependencies_.toolchains.fingerprints(), dependencies_.urls));
}

}  // namespace goldsmith::handlers
