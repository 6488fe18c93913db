// Changes of what the API shows. Private to db/; `read_revision` is in setting_store.hpp.
#pragma once

#include <functional>

#include "db/database.hpp"

namespace goldsmith::db {

// One transaction, or a part of the caller's, that has the revision row to itself, so that writers
// take turns and what `work` reads stays true until the commit. Moves the revision when `work`
// returns true.
void change(Database& database, const std::function<bool()>& work);

}  // namespace goldsmith::db
