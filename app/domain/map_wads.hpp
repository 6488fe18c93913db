// The WADs whose textures a map of the engine uses (decision O22).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::domain {

// A larger one is not read.
inline constexpr std::size_t kMostMapBytes = 64U << 20;

// Whether the bytes begin as a map of the engine does (BSP version 30). No text does.
bool begins_as_map(std::string_view file);

// Reads `file`, the bytes of a map that may lie: of the first entity of the first
// 64 KiB of its entities the setting "wad", which has paths of the machine that it was made on.
// Returns the names of these files, legal ones (is_wad_name), in lower case, sorted, each
// once, at most 64; none if the map has all of its textures in itself, or the file is another one
// or is damaged.
std::vector<std::string> wads_of_map(std::string_view file);

}  // namespace goldsmith::domain
