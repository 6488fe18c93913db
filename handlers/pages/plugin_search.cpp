#include "handlers/pages/plugin_search.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/plugin_query.hpp"
#include "handlers/views/compile_view.hpp"

namespace goldsmith::handlers::pages {
namespace {

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

// What a check with the line said of the latest versions: "ok", "failed" or "unknown".
std::map<domain::Slug, std::string_view> verdicts_on(
    Services& services, const std::vector<domain::PluginSummary>& plugins,
    const std::string& line) {
  std::vector<domain::Slug> slugs;
  for (const domain::PluginSummary& plugin : plugins) slugs.push_back(plugin.slug);
  const auto& fingerprints = services.compile_stack.watch.fingerprints();
  std::map<domain::Slug, std::string_view> verdicts;
  for (const auto& [slug, newest] : services.plugins.newest_verdicts(slugs)) {
    verdicts.emplace(slug, views::compiles_with(newest.version, line, fingerprints));
  }
  return verdicts;
}

}  // namespace

json::Array search_plugins(Services& services, const http::Query& query, const Choice& choice,
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
                     {"works_with", verdict == "ok" ? line : ""},
                     {"fails_with", verdict == "failed" ? line : ""}});
  }
  return array;
}

}  // namespace goldsmith::handlers::pages
