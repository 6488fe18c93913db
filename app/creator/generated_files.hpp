// The files that must name the exact stack, written for each build (decisions S5, S7).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/creator/selection.hpp"

namespace goldsmith::creator {

inline constexpr std::string_view kLiblistPath = "cstrike/liblist.gam";
inline constexpr std::string_view kMetamodListPath = "cstrike/addons/metamod/plugins.ini";
inline constexpr std::string_view kPluginFolder = "cstrike/addons/amxmodx/plugins";
inline constexpr std::string_view kPluginListPath =
    "cstrike/addons/amxmodx/configs/plugins-svc.ini";

// What the engine reads first: the loader, the game library, or Valve's library in this order.
std::string liblist_gam(const Selection& selection);

// What the loader loads, in load order, each library once.
std::string metamod_plugins_ini(const Selection& selection);

// What AMX Mod X loads besides its own list.
std::string plugins_svc_ini(const std::vector<std::string>& binaries);

// False for a file name that AMX Mod X would skip or cut short when it reads a list: it takes a
// name up to white space or `;`, only when it starts with an ASCII letter or digit, and its whole
// path must fit a buffer of 256 bytes.
bool is_loadable(std::string_view binary);

}  // namespace goldsmith::creator
