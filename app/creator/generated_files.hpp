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

// The file that the engine reads first. It names the loader; without a loader the game library;
// without either Valve's library.
std::string liblist_gam(const Selection& selection);

// The libraries that the loader loads, each once, in load order.
std::string metamod_plugins_ini(const Selection& selection);

// The directory plugins, which AMX Mod X loads in addition to its own list: in the order given, but
// a name that begins another one ("x.amxx", "x.amxx.amxx") before that.
std::string plugins_svc_ini(const std::vector<std::string>& binaries);

}  // namespace goldsmith::creator
