#include "handlers/pages/creator_plugins.hpp"

#include <string>
#include <string_view>

#include "app/sys/text.hpp"
#include "handlers/pages/plugin_compiles.hpp"

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
  const auto slug = domain::Slug::parse(plugin.slug);
  const auto newest =
      slug && is_left_out(plugin) ? remedies.newest.find(*slug) : remedies.newest.end();
  if (newest == remedies.newest.end()) return solutions;
  const domain::Catalog& catalog = remedies.catalog;
  for (const domain::Component* platform :
       working_platforms(newest->second.version, remedies.fingerprints, catalog)) {
    if (choice.has(platform->slug)) continue;
    solutions.push_back(json::Object{{"label", "Use " + platform->name + " instead"},
                                     {"url", choice_url(with_only(choice, *platform, catalog))}});
  }
  return solutions;
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

json::Array planned_plugins(const creator::Plan& plan, const Choice& choice,
                            const PluginRemedies& remedies) {
  json::Array array;
  for (const creator::RequestedPlugin& plugin : plan.requested) {
    json::Array remarks(plugin.notes.begin(), plugin.notes.end());
    if (!plugin.hint.empty()) remarks.emplace_back(plugin.hint);
    array.push_back(json::Object{{"name", name_of(plugin)},
                                 {"version", plugin.version},
                                 {"left_out", is_left_out(plugin)},
                                 {"needs", sys::join(plugin.needs, ", ")},
                                 {"remarks", std::move(remarks)},
                                 {"solutions", solutions_for(plugin, choice, remedies)}});
  }
  return array;
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
