// Verbs of `goldsmith overlay` that have a file of their own.
#pragma once

#include <string>

#include "app/cli/command.hpp"

namespace goldsmith::cli {

Verb overlay_import_verb();

// "cstrike/game.cfg for rehlds"; without a component the path alone.
std::string section_name(const std::string& path, const std::string& component);

}  // namespace goldsmith::cli
