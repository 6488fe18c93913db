// Files that a plugin makes the engine load, and a server lacks (decision S27). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"

namespace goldsmith::creator {

// True if the game libraries of Half-Life and Counter-Strike precache the file (`path` in lower
// case), so that every server has it. Servers have more: false says nothing.
bool is_in_base_game(std::string_view path);

// The remark on files that a plugin precaches and nothing in its server has; "" without any.
// Names a few of them, models first.
std::string missing_files_remark(const std::vector<domain::PrecachedFile>& missing);

}  // namespace goldsmith::creator
