// Numbered SQL files, `NNNN_name.sql`, each applied once and in order (`goldsmith db migrate`).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/domain/timestamp.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

struct Migration {
  int number = 0;
  std::string name;
  std::string sql;  // statements separated by ";\n"
};

// The schema is newer than this program, an applied migration has changed since, or the server is
// not one to use.
class MigrationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The migrations of this program, in order.
const std::vector<Migration>& known_migrations();

struct MigrationStatus {
  int number = 0;
  std::string name;
  std::optional<domain::Timestamp> applied_at;  // absent = pending
};
std::vector<MigrationStatus> migration_status(Database& database);

// Applies the pending migrations and returns them. Holds a named lock, so that two calls at a time
// are safe. MySQL commits at every DDL statement: each migration is written so that it can be run
// again after it failed halfway. Throws MigrationError and db::Error.
std::vector<Migration> migrate(Database& database);
// migrate() with the caller's migrations.
std::vector<Migration> migrate(Database& database, const std::vector<Migration>& known);

// True if the schema is exactly the one that this program knows.
bool is_current(Database& database);

}  // namespace goldsmith::db
