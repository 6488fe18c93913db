// In which order AMX Mod X loads the directory plugins of a server (decision S35). Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"

namespace goldsmith::creator {

struct LoadedPlugin {
  std::string_view slug;
  const domain::PluginNeeds* needs = nullptr;  // null = not known
};

struct LoadPlace {
  std::size_t plugin = 0;  // its index
  bool is_bound = false;   // it has to come behind the one before it
};

// `plugins` in the order in which they are to be loaded: first those of `first`, then the others as
// given; but what a plugin uses, because it registers natives that the plugin calls or is a library
// that it requires, comes before it, unless they use each other. Slugs that are not there have no
// effect.
std::vector<LoadPlace> load_order(const std::vector<LoadedPlugin>& plugins,
                                  const std::vector<std::string>& first);

}  // namespace goldsmith::creator
