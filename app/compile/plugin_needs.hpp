// What AMX Mod X must have to load a compiled plugin, as the plugin's file says it.
#pragma once

#include <optional>
#include <string_view>

#include "app/domain/plugin.hpp"

namespace goldsmith::compile {

// Reads `file`, an .amxx file that may lie: its tables of tags and libraries, which hold what the
// includes of its source ask for (`#pragma reqlib`, `reqclass`, `loadlib`, `defclasslib`,
// `library`), its table of natives, and its calls of register_library and register_native with a
// literal name, also in a compact image (`#pragma compress`). Reads at most 16 MiB of the image;
// calls behind that are not seen.
//
// std::nullopt if the file is damaged, or if its tables are: they lie outside of the image, have
// more than 16,384 entries, more than 64 requirements, or names that no library has.
std::optional<domain::PluginNeeds> plugin_needs(std::string_view file);

}  // namespace goldsmith::compile
