#include <map>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/cli/commands/plugin_scan.hpp"
#include "app/cli/context.hpp"
#include "app/pawn/topics.hpp"

namespace goldsmith::cli {

void derive_topics(ScannedPlugins& plugins, const pawn::TopicTable& table) {
  for (ScannedPlugin& plugin : plugins) {
    if (!plugin.facts.is_plugin) continue;
    plugin.topics =
        table.topics_of(plugin.facts, plugin.prose.summary, plugin.version.files.front().filename);
  }
}

std::vector<Column<ScannedPlugin>> topic_columns() {
  using Row = ScannedPlugin;
  const auto tags = [](const Row& row) {
    return json::Value(json::array_of(row.topics.tags, [](const pawn::DerivedTag& each) {
      return json::Object{{"from", json::Array(each.from.begin(), each.from.end())},
                          {"points", each.points},
                          {"tag", each.tag}};
    }));
  };
  return {
      {"CATEGORY", "category", [](const Row& row) { return row.topics.category; }, "-"},
      {.field = "category_from", .value = [](const Row& row) { return row.topics.category_from; }},
      {.field = "game_modes", .value = [](const Row& row) { return row.topics.game_modes; }},
      {.field = "tags", .value = tags}};
}

std::string categories_of(const ScannedPlugins& plugins) {
  std::map<std::string, std::size_t> counts;
  for (const ScannedPlugin& plugin : plugins) {
    if (plugin.is_written()) ++counts[plugin.topics.category.str()];
  }
  const std::size_t untold = counts[""];
  counts.erase("");
  std::vector<std::string> each;
  for (const auto& [category, count] : counts) {
    each.push_back(fmt::format("{} {}", count, category));
  }
  if (untold > 0) each.push_back(fmt::format("{} untold", untold));
  return base::join(each, ", ");
}

}  // namespace goldsmith::cli
