#include "handlers/plugins.hpp"

#include "app/domain/names.hpp"
#include "app/http/error.hpp"
#include "app/sys/text.hpp"
#include "handlers/views/paging.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers {
namespace {

constexpr std::size_t search_code_points = 100;

// Nothing when a value can match no plugin: bytes that are not UTF-8, or a NUL (decision R4).
std::optional<db::PluginFilter> read_filter(const http::Query& query) {
  db::PluginFilter filter;
  if (const auto text = query.get("q")) {
    if (!domain::is_utf8(*text) || text->find('\0') != text->npos) return std::nullopt;
    filter.folded_text =
        sys::fold_case(sys::first_code_points(sys::trim(*text), search_code_points));
  }
  if (const auto category = query.get("category")) {
    if (!domain::is_utf8(*category)) return std::nullopt;
    filter.category = *category;
  }
  return filter;
}

}  // namespace

http::Response list_plugins(const Call& call) {
  const views::Urls urls(call.services.config);
  const views::Page page = views::read_page(call.request.query);
  db::PluginPage found;
  if (const auto filter = read_filter(call.request.query)) {
    found = call.services.plugins.list(*filter, page.offset(), page.size);
  }
  json::Array items;
  for (const domain::PluginSummary& plugin : found.plugins) {
    items.push_back(views::plugin_summary(plugin, urls));
  }
  return http::json_ok(views::page_json(page, found.total, "plugins", std::move(items)));
}

http::Response show_plugin(const Call& call) {
  const views::Urls urls(call.services.config);
  const std::string& slug = call.path.front();
  const auto plugin = domain::is_slug(slug) ? call.services.plugins.find(slug) : std::nullopt;
  if (!plugin) return http::error_response(http::Error::not_found, urls.docs());
  return http::json_ok({{"plugin", views::plugin_detail(*plugin, urls)}});
}

}  // namespace goldsmith::handlers
