// What callers can get, by name.
#pragma once

#include <set>
#include <string>

#include "db/database.hpp"

namespace goldsmith::db {

// "key SHA256" of each key that is not disabled, "plugin SLUG", "plugin SLUG VERSION" and "pack
// SLUG" of what is published (a published version of a draft, too), and "component SLUG VERSION" of
// what is mirrored, as of one point in time. Throws Error.
std::set<std::string> public_names(Database& database);

}  // namespace goldsmith::db
