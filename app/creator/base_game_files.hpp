// Made by the build from base_game_files.txt.
#pragma once

#include <span>
#include <string_view>

namespace goldsmith::creator {

// Paths below valve/ or cstrike/, in lower case, sorted.
std::span<const std::string_view> base_game_files();

}  // namespace goldsmith::creator
