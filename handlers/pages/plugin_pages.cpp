#include <utility>
#include <vector>

#include "app/domain/names.hpp"
#include "handlers/pages/cards.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/plugin_compiles.hpp"
#include "handlers/plugin_query.hpp"

namespace goldsmith::handlers::pages {
namespace {

// The text that was searched for.
std::string shown(const http::Query& query, std::string_view name) {
  const auto value = query.get(name);
  return value && domain::is_utf8(*value) ? std::string(*value) : std::string();
}

// "" = by downloads, or what matches best if a text is searched for.
std::string sort_of(std::optional<std::string_view> value, bool is_search) {
  const bool is_known = value == "newest" || value == "name" || (is_search && value == "downloads");
  return is_known ? std::string(*value) : std::string();
}

DirectoryQuery asked_for(const http::Query& query) {
  const std::string text = shown(query, "q");
  return {.text = text,
          .category = shown(query, "category"),
          .toolchain = shown(query, "compiles_with"),
          .author = shown(query, "author"),
          .needs = query.get("needs") == "nothing" ? "nothing" : "",
          .sort = sort_of(query.get("sort"), !text.empty())};
}

// The path of the same query but for one condition.
std::string path_with(DirectoryQuery query, std::string DirectoryQuery::* condition,
                      std::string_view value) {
  query.*condition = value;
  return directory_path(query);
}

json::Array categories(Services& services, const DirectoryQuery& asked) {
  json::Array array;
  for (const auto& item : services.index.categories(services.freshness.epoch())) {
    array.push_back(
        json::Object{{"slug", item.category},
                     {"count", grouped(item.count)},
                     {"url", path_with(asked, &DirectoryQuery::category, item.category)},
                     {"chosen", item.category == asked.category}});
  }
  return array;
}

// The installed ones.
json::Array toolchains(Services& services, const DirectoryQuery& asked) {
  const auto& installed = services.compile_stack.watch.fingerprints();
  json::Array array;
  for (const std::string& line : domain::toolchain_lines()) {
    if (!installed.contains(line)) continue;
    array.push_back(json::Object{{"line", line},
                                 {"url", path_with(asked, &DirectoryQuery::toolchain, line)},
                                 {"chosen", line == asked.toolchain}});
  }
  return array;
}

// What plugins may need that need nothing beyond AMX Mod X, with the toolchain that is asked for,
// or with any.
db::NeedsAtMost needs_at_most(Services& services, const db::PluginFilter& filter) {
  db::NeedsAtMost needs{{}, platform_libraries()};
  if (filter.compiled_with) {
    needs.toolchains = {*filter.compiled_with};
    return needs;
  }
  for (const std::string& line : domain::toolchain_lines()) {
    if (const auto toolchain = compiled_with(services, line)) {
      needs.toolchains.push_back(*toolchain);
    }
  }
  return needs;
}

db::PluginPage find(Services& services, const http::Query& query, const DirectoryQuery& asked,
                    const views::Page& page) {
  auto filter = search_filter(query.get("q"));
  if (filter) filter = narrowed(*std::move(filter), services, query);
  if (!filter) return {};
  filter->author = asked.author;
  if (!asked.needs.empty()) filter->needs = needs_at_most(services, *filter);
  if (asked.sort == "downloads") filter->order = db::PluginOrder::downloads;
  if (asked.sort == "newest") filter->order = db::PluginOrder::newest;
  if (asked.sort == "name") filter->order = db::PluginOrder::name;
  return services.index.page(*filter, page.offset(), page.size, services.freshness.epoch());
}

json::Array orders(const DirectoryQuery& asked) {
  std::vector<std::pair<std::string, std::string>> all{
      {"", "downloads"}, {"newest", "newest"}, {"name", "name"}};
  if (!asked.text.empty()) {
    all.front().first = "downloads";
    all.insert(all.begin(), {"", "best match"});
  }
  json::Array array;
  for (const auto& [value, text] : all) {
    array.push_back(json::Object{{"text", text},
                                 {"url", path_with(asked, &DirectoryQuery::sort, value)},
                                 {"chosen", asked.sort == value}});
  }
  return array;
}

std::string title_of(const DirectoryQuery& asked) {
  if (!asked.text.empty()) return "Plugins: " + summary(asked.text);
  return asked.author.empty() ? "Plugins" : "Plugins by " + summary(asked.author);
}

}  // namespace

http::Response directory_page(Services& services, const Call& call) {
  const http::Query& query = call.query;
  const views::Page page{query.integer("page_n", 1, 1, 100'000), 24};
  const DirectoryQuery asked = asked_for(query);
  const db::PluginPage found = find(services, query, asked, page);
  const std::string path = directory_path(asked);
  const std::string address = path + (path.find('?') == std::string::npos ? "?" : "&");
  return services.site.page(
      "plugins",
      {.title = title_of(asked),
       .description = "AMX Mod X plugins for Counter-Strike 1.6, compiled for each download.",
       .path = page.number > 1 ? address + "page_n=" + std::to_string(page.number) : path,
       .section = "plugins",
       .feed = "/feeds/plugins.atom"},
      {{"q", asked.text},
       {"category", asked.category},
       {"toolchain", asked.toolchain},
       {"author", asked.author},
       {"needs_nothing", !asked.needs.empty()},
       {"sort", asked.sort},
       {"orders", orders(asked)},
       {"categories", categories(services, asked)},
       {"toolchains", toolchains(services, asked)},
       {"all_url", path_with(asked, &DirectoryQuery::category, "")},
       {"every_toolchain_url", path_with(asked, &DirectoryQuery::toolchain, "")},
       {"undemanding_url", path_with(asked, &DirectoryQuery::needs, "nothing")},
       {"demanding_url", path_with(asked, &DirectoryQuery::needs, "")},
       {"every_author_url", path_with(asked, &DirectoryQuery::author, "")},
       {"plugins", plugin_cards(services, found.plugins)},
       {"total", counted(found.total, "plugin", "plugins")},
       {"is_empty", found.plugins.empty()},
       {"is_beyond", found.plugins.empty() && found.total > 0},
       {"first_url", path},
       {"filtered", asked != DirectoryQuery{}},
       {"paging", paging(page, found.total, address)}});
}

}  // namespace goldsmith::handlers::pages
