// Whether a server and the tables on it are what the statements of db/ were written for.
#pragma once

#include <optional>
#include <string>

#include "db/database.hpp"

namespace goldsmith::db {

struct ServerObjection {
  std::string problem;
  std::string remedy;
};

// Why the server can't be used; std::nullopt if it can. Looks at the present connection, and
// changes nothing. The server's own sql_mode, time zone, character set, collation and
// lower_case_table_names do not matter: sessions set what they need, and tables name theirs.
// Throws Error.
std::optional<ServerObjection> server_objection(Database& database);

// server_objection() of a server with these values of @@version and @@version_comment.
std::optional<ServerObjection> version_objection(const std::string& version,
                                                 const std::string& comment);

}  // namespace goldsmith::db
