// Numbered SQL files, `NNNN_name.sql`, applied in order, each once (`goldsmith db migrate`).
#pragma once

#include <string>
#include <vector>

#include "db/database.hpp"

namespace goldsmith::db {

struct Migration {
  int number = 0;
  std::string name;
  std::string sql;  // statements separated by ";\n"
};

// The schema is newer than this program, or a file that was applied has changed since.
class MigrationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Those that are part of this program, in order.
const std::vector<Migration>& known_migrations();

struct MigrationStatus {
  int number = 0;
  std::string name;
  std::string applied_at;  // "" = pending
};
std::vector<MigrationStatus> migration_status(Database& database);

// Applies what is pending and returns it; nothing pending changes nothing. Holds a named lock, so
// that two at once are safe. MySQL commits at every DDL statement; each migration is written so
// that it can be run again after a failure in its middle. Throws MigrationError and db::Error.
std::vector<Migration> migrate(Database& database);
// The same with migrations of the caller's.
std::vector<Migration> migrate(Database& database, const std::vector<Migration>& known);

// True when the schema is exactly what this program knows.
bool is_current(Database& database);

}  // namespace goldsmith::db
