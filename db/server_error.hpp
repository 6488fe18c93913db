// The meaning of the server's and the client library's error numbers. Private to db/.
#pragma once

#include "db/database.hpp"

namespace goldsmith::db {

// The kind that callers see.
Error::Kind error_kind(int code);

// The connection and its prepared statements are lost.
bool is_connection_lost(int code);

// The server has rolled back the whole transaction.
bool is_rolled_back(int code);

}  // namespace goldsmith::db
