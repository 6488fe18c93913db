#include "handlers/pages/creator_plugins.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/creator/selection.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/language.hpp"
#include "handlers/pages/plugin_detail.hpp"

namespace goldsmith::handlers::pages {

namespace {

const std::string& name_of(const creator::RequestedPlugin& plugin) {
  return plugin.name.empty() ? plugin.slug : plugin.name;
}

bool is_left_out(const creator::RequestedPlugin& plugin) {
  return plugin.status == creator::PluginStatus::skipped;
}

json::Array solutions_for(const creator::RequestedPlugin& plugin, const Choice& choice,
                          const PluginRemedies& remedies) {
  json::Array solutions;
  if (!plugin.rival.empty()) {
    solutions.push_back(
        json::Object{{"label", tr("Use the plugin {plugin} instead of {other}",
                                  {{"plugin", plugin.slug}, {"other", plugin.rival}})},
                     {"url", choice_url(without_plugin(choice, plugin.rival))}});
    solutions.push_back(
        json::Object{{"label", tr("Remove the plugin {plugin}", {{"plugin", plugin.slug}})},
                     {"url", choice_url(without_plugin(choice, plugin.slug))}});
    return solutions;
  }
  const auto slug = domain::Slug::parse(plugin.slug);
  const auto newest =
      slug && is_left_out(plugin) ? remedies.newest.find(*slug) : remedies.newest.end();
  if (newest == remedies.newest.end()) return solutions;
  const domain::Catalog& catalog = remedies.catalog;
  for (const domain::Component* platform :
       working_platforms(newest->second.version, remedies.fingerprints, catalog)) {
    if (choice.has(platform->slug)) continue;
    solutions.push_back(
        json::Object{{"label", tr("Use {component} instead", {{"component", platform->name}})},
                     {"url", choice_url(with_only(choice, *platform, catalog))}});
  }
  return solutions;
}

// The address with which the plugin loads one place earlier. `before`: what loads before it.
std::string moved_up(const std::string& slug, std::vector<std::string> before,
                     const Choice& choice) {
  before.insert(before.end() - 1, slug);
  return choice_url(with_order(choice, std::move(before)));
}

json::Array planned_plugins(const creator::Plan& plan, const Choice& choice,
                            const PluginRemedies& remedies) {
  std::vector<const creator::RequestedPlugin*> plugins;  // in load order, then what is not loaded
  for (const creator::RequestedPlugin& plugin : plan.requested) plugins.push_back(&plugin);
  std::stable_sort(plugins.begin(), plugins.end(), [](const auto* left, const auto* right) {
    return left->place - 1 < right->place - 1;  // 0 is the last
  });
  const std::string& line = creator::line_of(plan.selection);
  constexpr std::size_t kMostMoved = 40;  // each link names the whole selection
  std::vector<std::string> before;
  json::Array array;
  for (const creator::RequestedPlugin* const each : plugins) {
    const creator::RequestedPlugin& plugin = *each;
    const std::string earlier_url =
        plugin.place > 1 && !plugin.is_bound && plugins.size() <= kMostMoved
            ? moved_up(plugin.slug, before, choice)
            : "";
    before.push_back(plugin.slug);
    json::Array remarks = tr(plugin.notes);
    if (!plugin.hint.empty()) remarks.emplace_back(tr(plugin.hint));
    array.push_back(json::Object{
        {"name", name_of(plugin)},
        {"version", plugin.version},
        {"left_out", is_left_out(plugin)},
        {"cost", plugin.frame_percent.value_or(0) > 0 ? cost_text(*plugin.frame_percent) : ""},
        {"earlier_url", earlier_url},
        {"needs", told_needs(plugin.needs, line, remedies.providers)},
        {"remarks", std::move(remarks)},
        {"solutions", solutions_for(plugin, choice, remedies)}});
  }
  return array;
}

}  // namespace

std::vector<domain::Slug> left_out_plugins(const creator::Plan& plan) {
  std::vector<domain::Slug> slugs;
  for (const creator::RequestedPlugin& plugin : plan.requested) {
    const auto slug = domain::Slug::parse(plugin.slug);
    if (slug && is_left_out(plugin)) slugs.push_back(*slug);
  }
  return slugs;
}

void add_costs(const creator::Plan& plan, json::Object& result) {
  // Of what a frame takes without any of them: a share is of a frame with that plugin.
  double costs = 0;
  std::int64_t measured = 0;
  std::int64_t unmeasured = 0;
  for (const creator::RequestedPlugin& plugin : plan.requested) {
    if (is_left_out(plugin)) continue;
    const int percent = std::min(plugin.frame_percent.value_or(0), 99);
    costs += percent / (100.0 - percent);
    ++(plugin.frame_percent ? measured : unmeasured);
  }
  // Of many that cost nothing noticeable it is not known what they cost together.
  constexpr std::int64_t kMostUnnoticed = 3;
  if (measured == 0 || (costs == 0 && measured > kMostUnnoticed)) return;
  result["cost"] = cost_text(static_cast<int>(std::lround(100 * costs / (1 + costs))));
  if (unmeasured == 0) return;
  result["unmeasured"] =
      tr_plural("{n} plugin was not measured", "{n} plugins were not measured", unmeasured);
}

void add_plugins(const creator::Plan& plan, const Choice& choice, const PluginRemedies& remedies,
                 json::Object& result) {
  result["has_plugins"] = !plan.requested.empty();
  result["plugins"] = planned_plugins(plan, choice, remedies);
  add_costs(plan, result);
}

json::Array plugin_boxes(const creator::Plan& plan, const Choice& choice) {
  std::map<std::string_view, const creator::RequestedPlugin*> requested;
  for (const creator::RequestedPlugin& plugin : plan.requested) requested[plugin.slug] = &plugin;
  json::Array array;
  for (const creator::Token& token : choice.plugins) {
    const auto found = requested.find(token.slug);
    if (found == requested.end()) continue;
    array.push_back(json::Object{{"value", creator::spelled(token)},
                                 {"name", name_of(*found->second)},
                                 {"version", token.version},
                                 {"left_out", is_left_out(*found->second)}});
  }
  return array;
}

}  // namespace goldsmith::handlers::pages
