// What a server needs of Valve's files to start and load its plugins, made up: nothing is seen or
// heard of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/archive/zip.hpp"

namespace goldsmith::start {

// The map that they hold: one empty room.
inline constexpr const char* kMap = "goldsmith";

// Of a model, a sprite or a sound, by its path in the game's folder; "" of another file.
std::string stand_in(std::string_view path);

// Below the server's folder, each path once: textures, maps, and each model, sprite, sound and
// event that the games have (creator::base_game_files()), in `game`. That is "cstrike",
// where an engine finds them soonest: for each that is missing there it reads all folders on its
// way. Beside files of a real game it is "valve", so that they don't hide what that has there.
std::vector<archive::MemoryFile> stand_ins(std::string_view game);

}  // namespace goldsmith::start
