// What the server's and the client library's error numbers mean to this program. Private to db/.
#pragma once

#include "db/database.hpp"

namespace goldsmith::db {

// The kind that callers see.
Error::Kind error_kind(int code);

// The connection is of no use any more, and its prepared statements with it.
bool is_connection_lost(int code);

// The server has rolled the whole transaction back by itself.
bool is_rolled_back(int code);

}  // namespace goldsmith::db
