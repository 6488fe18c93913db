#include "handlers/pages/plugin_search.hpp"

#include <set>
#include <string>

#include "handlers/plugin_query.hpp"

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

// Which of the first plugins that the filter finds were compiled with the line by a check.
std::set<domain::Slug> compiled(Services& services, db::PluginFilter filter,
                                const std::string& line) {
  std::set<domain::Slug> slugs;
  filter.compiled_with = compiled_with(services, line);
  if (!filter.compiled_with) return slugs;
  const std::uint64_t epoch = services.freshness.epoch();
  for (const auto& plugin : services.index.page(filter, 0, kShown, epoch).plugins) {
    slugs.insert(plugin.slug);
  }
  return slugs;
}

}  // namespace

json::Array search_plugins(Services& services, const http::Query& query, const Choice& choice,
                           const domain::Catalog& catalog) {
  json::Array array;
  const auto filter = read_plugin_filter(query.get("q"));
  if (!filter || filter->folded_text.empty()) return array;
  const std::string line = line_of(choice, catalog);
  const std::set<domain::Slug> working = compiled(services, *filter, line);
  const std::uint64_t epoch = services.freshness.epoch();
  for (const auto& plugin : services.index.page(*filter, 0, kShown, epoch).plugins) {
    if (choice.has_plugin(plugin.slug)) continue;
    array.push_back(
        json::Object{{"slug", plugin.slug},
                     {"name", plugin.name},
                     {"author", plugin.author},
                     {"version", plugin.latest_version ? plugin.latest_version->view() : ""},
                     {"works_with", working.contains(plugin.slug) ? line : ""}});
  }
  return array;
}

}  // namespace goldsmith::handlers::pages
