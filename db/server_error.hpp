// The meaning of the server's and the client library's error numbers. Private to db/.
#pragma once

#include <string>

#include "db/database.hpp"

namespace sql {
class SQLException;
}

namespace goldsmith::db {

constexpr int kNotReady = 1047;  // a node of a cluster that does not serve
constexpr int kTlsError = 2026;

// The server's text with its numbers.
std::string describe(const sql::SQLException& exception);

// The kind that callers see.
Error::Kind error_kind(int code);

// The connection and its prepared statements are lost.
bool is_connection_lost(int code);

// The server refused to write, and has changed nothing: it is a replica, or another one has taken
// its place.
bool is_read_only(int code);

// The server has rolled back the whole transaction.
bool is_rolled_back(int code);

}  // namespace goldsmith::db
