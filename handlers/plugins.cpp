#include "handlers/plugins.hpp"

#include <algorithm>

#include "app/domain/names.hpp"
#include "app/sys/text.hpp"
#include "handlers/views/paging.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers {
namespace {

constexpr std::size_t kSearchCodePoints = 100;

// Bytes that are not UTF-8, and control characters, which no name can hold (decision R4).
bool can_match(std::string_view text) {
  const auto is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20; };
  return domain::is_utf8(text) && std::none_of(text.begin(), text.end(), is_control);
}

// std::nullopt if a value can match no plugin.
std::optional<db::PluginFilter> read_filter(const http::Query& query) {
  db::PluginFilter filter;
  if (const auto text = query.get("q")) {
    if (!domain::is_utf8(*text)) return std::nullopt;
    const auto wanted = sys::first_code_points(sys::trim(*text), kSearchCodePoints);
    if (!can_match(wanted)) return std::nullopt;
    filter.folded_text = sys::fold_case(wanted);
  }
  const std::string_view category = query.get("category").value_or("");
  if (!category.empty()) {
    filter.category = domain::Slug::parse(category);
    if (!filter.category) return std::nullopt;
  }
  return filter;
}

}  // namespace

http::Response PluginHandlers::list(const Call& call) {
  const views::Page page = views::read_page(call.request.query);
  db::PluginPage found;
  if (const auto filter = read_filter(call.request.query)) {
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
