#include "app/creator/load_order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

namespace goldsmith::creator {
namespace {

using Matrix = std::vector<std::vector<bool>>;

// Who uses whom.
Matrix uses_of(const std::vector<LoadedPlugin>& plugins) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> natives;
  std::unordered_map<std::string_view, std::vector<std::size_t>> libraries;
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    if (plugins[i].needs == nullptr) continue;
    for (const std::string& name : plugins[i].needs->registers) libraries[name].push_back(i);
    if (!plugins[i].needs->natives) continue;
    for (const std::string& name : plugins[i].needs->natives->offers) natives[name].push_back(i);
  }
  Matrix uses(plugins.size(), std::vector<bool>(plugins.size()));
  const auto note = [&](std::size_t user, const auto& known, const std::string& name) {
    const auto providers = known.find(name);
    if (providers == known.end()) return;
    for (const std::size_t provider : providers->second) uses[user][provider] = true;
  };
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    if (plugins[i].needs == nullptr) continue;
    for (const domain::PluginNeed& need : plugins[i].needs->required) note(i, libraries, need.name);
    if (!plugins[i].needs->natives) continue;
    for (const std::string& name : plugins[i].needs->natives->imports) note(i, natives, name);
  }
  return uses;
}

// Who has to come behind whom: without those that use each other, also through others.
Matrix binding(Matrix uses) {
  Matrix reaches = uses;
  for (std::size_t via = 0; via < reaches.size(); ++via) {
    for (std::size_t from = 0; from < reaches.size(); ++from) {
      if (!reaches[from][via]) continue;
      for (std::size_t to = 0; to < reaches.size(); ++to) {
        if (reaches[via][to]) reaches[from][to] = true;
      }
    }
  }
  for (std::size_t user = 0; user < uses.size(); ++user) {
    for (std::size_t provider = 0; provider < uses.size(); ++provider) {
      if (reaches[provider][user]) uses[user][provider] = false;
    }
  }
  return uses;
}

}  // namespace

std::vector<LoadPlace> load_order(const std::vector<LoadedPlugin>& plugins,
                                  const std::vector<std::string>& first) {
  std::vector<std::size_t> wanted(plugins.size());
  std::iota(wanted.begin(), wanted.end(), std::size_t{0});
  const auto rank = [&](std::size_t plugin) {
    return std::find(first.begin(), first.end(), plugins[plugin].slug) - first.begin();
  };
  std::stable_sort(wanted.begin(), wanted.end(),
                   [&](std::size_t left, std::size_t right) { return rank(left) < rank(right); });

  const Matrix is_behind = binding(uses_of(plugins));
  std::vector<LoadPlace> ordered;
  std::vector<bool> is_seen(plugins.size());
  const std::function<void(std::size_t)> add = [&](std::size_t plugin) {
    if (is_seen[plugin]) return;
    is_seen[plugin] = true;
    for (const std::size_t other : wanted) {
      if (is_behind[plugin][other]) add(other);
    }
    ordered.push_back({plugin, !ordered.empty() && is_behind[plugin][ordered.back().plugin]});
  };
  for (const std::size_t plugin : wanted) add(plugin);
  return ordered;
}

}  // namespace goldsmith::creator
