#include "handlers/pages/creator_plugins.hpp"

#include <map>
#include <string>
#include <string_view>

#include "app/sys/text.hpp"

namespace goldsmith::handlers::pages {
namespace {

const std::string& name_of(const creator::RequestedPlugin& plugin) {
  return plugin.name.empty() ? plugin.slug : plugin.name;
}

bool is_left_out(const creator::RequestedPlugin& plugin) {
  return plugin.status == creator::PluginStatus::skipped;
}

}  // namespace

json::Array planned_plugins(const creator::Plan& plan) {
  json::Array array;
  for (const creator::RequestedPlugin& plugin : plan.requested) {
    json::Array remarks(plugin.notes.begin(), plugin.notes.end());
    if (!plugin.hint.empty()) remarks.emplace_back(plugin.hint);
    array.push_back(json::Object{{"name", name_of(plugin)},
                                 {"version", plugin.version},
                                 {"left_out", is_left_out(plugin)},
                                 {"needs", sys::join(plugin.needs, ", ")},
                                 {"remarks", std::move(remarks)}});
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
