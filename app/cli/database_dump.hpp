// The database as a file of SQL, by the programs of its server: mariadb-dump and mariadb, or
// mysqldump and mysql.
#pragma once

#include <cstdint>
#include <filesystem>

#include "app/base/config.hpp"
#include "db/database.hpp"

namespace goldsmith::cli {

// A connection to the first of the configured servers that can be written to, and that server
// alone. Throws db::Error if none can be used.
struct DatabaseServer {
  explicit DatabaseServer(const base::DatabaseConfig& config);

  base::ServerAddress address;
  db::ConnectionSettings settings;
  db::Database connection;
  std::string version;

  bool is_mariadb() const;
  std::int64_t tables();
  void drop_tables();
  // The newest migration that was applied; 0 without tables.
  std::int64_t schema();
};

// Writes the dump of one point in time to a new file in `folder`, which nobody else may enter, and
// returns its path. Throws Failure if the program fails, or if the dump has no end.
std::filesystem::path dump_database(DatabaseServer& server, const std::filesystem::path& folder);

// Throws Failure unless this host has the program that load_dump() runs.
void check_can_load(const DatabaseServer& server);
// Runs the statements of a dump, to its end or to the first that fails: then throws Failure.
// `folder` is for the credentials, and nobody else may enter it.
void load_dump(DatabaseServer& server, const std::filesystem::path& dump,
               const std::filesystem::path& folder);

}  // namespace goldsmith::cli
