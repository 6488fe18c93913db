// What a server needs of Valve's files to start and load its plugins, made up: nothing is seen or
// heard of them.
#pragma once

#include <string>
#include <vector>

#include "app/archive/zip.hpp"

namespace goldsmith::start {

// The map that they hold: one empty room.
inline constexpr const char* kMap = "goldsmith";

// Below the server's folder, each path once: textures, the map, and each model, sprite and event
// that the game libraries name (creator::base_game_files()). Sounds are not among them, which no
// server reads.
std::vector<archive::MemoryFile> stand_ins();

}  // namespace goldsmith::start
