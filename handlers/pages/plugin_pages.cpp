#include "handlers/pages/plugin_pages.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/domain/names.hpp"
#include "handlers/directory.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/plugin_detail.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers::pages {

namespace {

// The text that was searched for.
std::string shown(const web::Query& query, std::string_view name) {
  const auto value = query.get(name);
  return value && domain::is_utf8(*value) ? std::string(*value) : std::string();
}

// "" = by downloads, or what matches best if a text is searched for.
std::string sort_of(std::optional<std::string_view> value, bool is_search) {
  const bool is_known = value == "newest" || value == "name" || (is_search && value == "downloads");
  return is_known ? std::string(*value) : std::string();
}

// The API calls it `search`, and its `q` is another.
const char* name_of_search(const web::Query& query) { return query.get("q") ? "q" : "search"; }

DirectoryQuery asked_for(const web::Query& query) {
  const std::string text = shown(query, name_of_search(query));
  return {.text = text,
          .category = shown(query, "category"),
          .toolchain = shown(query, "compiles_with"),
          .runs_with = shown(query, "runs_with"),
          .plays_with = shown(query, "plays_with"),
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
        json::Object{{"label", topic_label(item.category)},
                     {"count", grouped(item.count)},
                     {"url", path_with(asked, &DirectoryQuery::category, item.category)},
                     {"chosen", item.category == asked.category}});
  }
  return array;
}

// The installed ones, for the condition that names one of them.
json::Array toolchains(Services& services, const DirectoryQuery& asked,
                       std::string DirectoryQuery::* condition) {
  const auto& installed = services.compile_service.watch.fingerprints();
  json::Array array;
  for (const std::string& line : domain::toolchain_lines()) {
    if (!installed.contains(line)) continue;
    array.push_back(json::Object{{"line", line},
                                 {"url", path_with(asked, condition, line)},
                                 {"chosen", line == asked.*condition}});
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

db::PluginPage find(Services& services, const web::Query& query, const DirectoryQuery& asked,
                    const views::Page& page) {
  auto filter = search_filter(query.get(name_of_search(query)));
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
      {"", tr_context("sorted by", "downloads")},
      {"newest", tr_context("sorted by", "newest")},
      {"name", tr_context("sorted by", "name")}};
  if (!asked.text.empty()) {
    all.front().first = "downloads";
    all.insert(all.begin(), {"", tr_context("sorted by", "best match")});
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
  if (!asked.text.empty()) return tr("Plugins: {search}", {{"search", summary(asked.text)}});
  if (asked.author.empty()) return tr("Plugins");
  return tr("Plugins by {author}", {{"author", summary(asked.author)}});
}

constexpr std::int64_t kShown = 12;

// The line of the toolchain for the chosen platform, or the newest.
std::string line_of(const Choice& choice, const domain::Catalog& catalog) {
  for (const domain::Component& component : catalog.components()) {
    const bool is_platform = component.layer == domain::Layer::amxmodx;
    if (is_platform && choice.has(component.slug) && component.loads.toolchain) {
      return *component.loads.toolchain;
    }
  }
  return domain::toolchain_lines().back();
}

// What a start with the line showed of the latest versions, "runs" or "faulty", or else a check:
// "ok", "failed" or "unknown".
std::map<domain::Slug, std::string_view> verdicts_on(
    Services& services, const std::vector<domain::PluginSummary>& plugins,
    const std::string& line) {
  std::vector<domain::Slug> slugs;
  for (const domain::PluginSummary& plugin : plugins) slugs.push_back(plugin.slug);
  const auto& fingerprints = services.compile_service.watch.fingerprints();
  std::map<domain::Slug, std::string_view> verdicts;
  for (const auto& [slug, newest] : services.plugins.newest_verdicts(slugs)) {
    const std::string_view runs = views::runs_with(newest.version, line, fingerprints);
    const std::string_view compiles = views::compiles_with(newest.version, line, fingerprints);
    verdicts.emplace(slug, runs == "unknown" ? compiles : runs);
  }
  return verdicts;
}

}  // namespace

web::Response directory_page(Services& services, const Call& call) {
  const web::Query& query = call.query;
  const views::Page page{query.integer("page_n", 1, 1, 100'000), 24};
  const DirectoryQuery asked = asked_for(query);
  const db::PluginPage found = find(services, query, asked, page);
  const std::string path = directory_path(asked);
  const std::string address = path + (path.find('?') == std::string::npos ? "?" : "&");
  return services.site.page(
      "plugins",
      {.title = title_of(asked),
       .description = tr("AMX Mod X plugins for Counter-Strike 1.6, compiled for each download."),
       .path = page.number > 1 ? address + "page_n=" + std::to_string(page.number) : path,
       .section = "plugins",
       .feed = "/feeds/plugins.atom"},
      {{"q", asked.text},
       {"category", asked.category},
       {"category_label", topic_label(asked.category)},
       {"toolchain", asked.toolchain},
       {"author", asked.author},
       {"needs_nothing", !asked.needs.empty()},
       {"sort", asked.sort},
       {"orders", orders(asked)},
       {"categories", categories(services, asked)},
       {"toolchains", toolchains(services, asked, &DirectoryQuery::toolchain)},
       {"runs_with", asked.runs_with},
       {"plays_with", asked.plays_with},
       {"runners", toolchains(services, asked, &DirectoryQuery::runs_with)},
       {"every_runner_url", path_with(asked, &DirectoryQuery::runs_with, "")},
       {"all_url", path_with(asked, &DirectoryQuery::category, "")},
       {"every_toolchain_url", path_with(asked, &DirectoryQuery::toolchain, "")},
       {"undemanding_url", path_with(asked, &DirectoryQuery::needs, "nothing")},
       {"demanding_url", path_with(asked, &DirectoryQuery::needs, "")},
       {"every_author_url", path_with(asked, &DirectoryQuery::author, "")},
       {"plugins", plugin_cards(services, found.plugins)},
       {"total", counted_plugins(found.total)},
       {"is_empty", found.plugins.empty()},
       {"is_beyond", found.plugins.empty() && found.total > 0},
       {"first_url", path},
       {"filtered", asked != DirectoryQuery{}},
       {"paging", paging(page, found.total, address)}});
}

json::Array search_plugins(Services& services, const web::Query& query, const Choice& choice,
                           const domain::Catalog& catalog) {
  json::Array array;
  const auto filter = search_filter(query.get("q"));
  if (!filter || filter->words.empty()) return array;
  const std::string line = line_of(choice, catalog);
  const auto plugins = services.index.page(*filter, 0, kShown, services.freshness.epoch()).plugins;
  auto verdicts = verdicts_on(services, plugins, line);
  for (const domain::PluginSummary& plugin : plugins) {
    if (choice.has_plugin(plugin.slug)) continue;
    const std::string_view verdict = verdicts[plugin.slug];
    array.push_back(
        json::Object{{"slug", plugin.slug},
                     {"name", plugin.name},
                     {"author", plugin.author},
                     {"summary", plugin.summary},
                     {"version", plugin.latest_version ? plugin.latest_version->view() : ""},
                     {"runs_with", verdict == "runs" ? line : ""},
                     {"compiles_with", verdict == "ok" ? line : ""},
                     {"faulty_with", verdict == "faulty" ? line : ""},
                     {"fails_with", verdict == "failed" ? line : ""}});
  }
  return array;
}

}  // namespace goldsmith::handlers::pages
