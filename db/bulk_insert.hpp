// Many rows in few statements. Private to db/.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "db/database.hpp"

namespace goldsmith::db {

// `insert` is "INSERT INTO table (a, b) VALUES"; `values` has the values of all rows in order,
// `columns` per row. Throws Error.
void insert_rows(Database& database, std::string_view insert, std::size_t columns,
                 const std::vector<Parameter>& values);

}  // namespace goldsmith::db
