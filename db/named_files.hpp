// What a plugin's file names, as the column plugin_files.named has it (0025_described_files.sql).
// Private to db/.
#pragma once

#include <string>
#include <string_view>

#include "app/domain/plugin.hpp"

namespace goldsmith::db {

// A line for each name, in its order: a letter that says what it is, and the name; "" = none.
// Precondition: no name has a line feed.
std::string write_named(const domain::NamedFiles& named);
domain::NamedFiles read_named(std::string_view text);

}  // namespace goldsmith::db
