// What is told of a plugin at length, as the column `about` (0022_what_plugins_are.sql). Private to
// db/.
#pragma once

#include <string>
#include <string_view>

#include "app/domain/plugin.hpp"

namespace goldsmith::db {

// "" if there is nothing to tell.
std::string write_about(const domain::PluginAbout& about);
// Throws Error{other} for what is not JSON. What write_about() does not write is left out.
domain::PluginAbout read_about(std::string_view text);

}  // namespace goldsmith::db
