#include "app/domain/names.hpp"
#include "handlers/pages/cards.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/plugin_query.hpp"

namespace goldsmith::handlers::pages {
namespace {

constexpr std::int64_t kOnHomePage = 6;

template <typename List, typename ToCard>
json::Array cards(const List& list, ToCard to_card) {
  json::Array array;
  for (const auto& item : list) array.push_back(to_card(item));
  return array;
}

// The text that was searched for.
std::string shown(const http::Query& query, std::string_view name) {
  const auto value = query.get(name);
  return value && domain::is_utf8(*value) ? std::string(*value) : std::string();
}

json::Array categories(Services& services, std::string_view chosen, const std::string& text,
                       std::string_view toolchain) {
  json::Array array;
  for (const auto& item : services.index.categories(services.freshness.epoch())) {
    array.push_back(json::Object{{"slug", item.category},
                                 {"count", grouped(item.count)},
                                 {"url", directory_path(text, item.category, toolchain)},
                                 {"chosen", item.category == chosen}});
  }
  return array;
}

// The installed ones.
json::Array toolchains(Services& services, std::string_view chosen, const std::string& text,
                       std::string_view category) {
  const auto& installed = services.compile_stack.watch.fingerprints();
  json::Array array;
  for (const std::string& line : domain::toolchain_lines()) {
    if (!installed.contains(line)) continue;
    array.push_back(json::Object{
        {"line", line}, {"url", directory_path(text, category, line)}, {"chosen", line == chosen}});
  }
  return array;
}

}  // namespace

http::Response home_page(Services& services, const Call&) {
  const std::uint64_t epoch = services.freshness.epoch();
  const db::PluginPage popular = services.index.page({}, 0, kOnHomePage, epoch);
  const auto newest =
      services.plugins.newest_versions(kOnHomePage, db::PluginStore::LatestOnly::yes);
  const service::PluginIndex::Totals totals = services.index.totals(epoch);
  const db::AddonPage packs = services.addons.list(0, kOnHomePage);
  const Site& site = services.site;
  const json::Object schema{{"@context", "https://schema.org"},
                            {"@type", "WebSite"},
                            {"name", site.config().name},
                            {"url", site.absolute("/")},
                            {"description", site.config().tagline}};
  return site.page("home",
                   {.title = "", .path = "/", .feed = "/feeds/plugins.atom", .json_ld = schema},
                   {{"popular", cards(popular.plugins, plugin_card)},
                    {"newest", cards(newest, news_card)},
                    {"packs", cards(packs.addons, addon_card)},
                    {"plugin_count", grouped(totals.plugins)},
                    {"download_count", grouped(totals.downloads)},
                    {"pack_count", grouped(packs.total)}});
}

http::Response directory_page(Services& services, const Call& call) {
  const http::Query& query = call.query;
  const views::Page page{query.integer("page_n", 1, 1, 100'000), 24};
  db::PluginPage found;
  if (const auto filter = read_directory_filter(services, query)) {
    found = services.index.page(*filter, page.offset(), page.size, services.freshness.epoch());
  }
  const std::string text = shown(query, "q");
  const std::string category = shown(query, "category");
  const std::string toolchain = shown(query, "compiles_with");
  const std::string path = directory_path(text, category, toolchain);
  const std::string address = path + (path.find('?') == std::string::npos ? "?" : "&");
  const std::string title = text.empty() ? "Plugins" : "Plugins: " + summary(text);
  return services.site.page(
      "plugins",
      {.title = title,
       .description = "AMX Mod X plugins for Counter-Strike 1.6, compiled for each download.",
       .path = page.number > 1 ? address + "page_n=" + std::to_string(page.number) : path,
       .section = "plugins",
       .feed = "/feeds/plugins.atom"},
      {{"q", text},
       {"category", category},
       {"toolchain", toolchain},
       {"categories", categories(services, category, text, toolchain)},
       {"toolchains", toolchains(services, toolchain, text, category)},
       {"all_url", directory_path(text, "", toolchain)},
       {"every_toolchain_url", directory_path(text, category)},
       {"plugins", cards(found.plugins, plugin_card)},
       {"total", counted(found.total, "plugin", "plugins")},
       {"is_empty", found.plugins.empty()},
       {"is_beyond", found.plugins.empty() && found.total > 0},
       {"first_url", path},
       {"filtered", !text.empty() || !category.empty() || !toolchain.empty()},
       {"paging", paging(page, found.total, address)}});
}

}  // namespace goldsmith::handlers::pages
