// Numbered SQL files, `NNNN_name.sql`, each applied once and in order (`goldsmith db migrate`).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/names.hpp"
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
// migrate() with the caller's migrations. A change waits for those who use its table, in turns of
// two seconds, so that others get at the table in between; after 90 seconds it is
// Error{timeout}.
std::vector<Migration> migrate(Database& database, const std::vector<Migration>& known);
// The same in a session of its own, in which a statement may take hours.
std::vector<Migration> migrate(ConnectionSettings settings,
                               const std::vector<Migration>& known = known_migrations());

// True if the schema is exactly the one that this program knows.
bool is_current(Database& database);

// True if a later version of this program has changed the schema.
bool is_newer(Database& database);

// Changes of what the API shows, and the revision that counts them (app/limits/freshness.hpp
// defines it; read_progress() is in access_store.hpp). Private to db/.

// Runs `work` in a transaction, its own or the caller's, that has locked the revision row: writers
// take turns, and what `work` reads does not change before the commit. Increments the revision if
// `work` returns true. Throws db::Error and what `work` throws.
void change(Database& database, const std::function<bool()>& work);

// Inside of change(): the plugins that it changes, so that indexes in memory read them again. Every
// change of a published or unpublished plugin's row must be recorded.
void record_plugin(Database& database, const domain::Slug& slug);
// Records the plugins that are staged at positions from `first` to before `end`.
void record_staged_plugins(Database& database, std::int64_t first, std::int64_t end);

// A row of Progress: what makes a replica behind, see Database.
constexpr std::string_view kProgressQuery =
    "SELECT value, verdicts, (SELECT COALESCE(MAX(id), 0) FROM download_log),"
    " (SELECT MAX(number) FROM schema_migrations) FROM revision WHERE id = 1";
Progress next_progress(Rows& rows);

// A lock among the programs that use one schema. Private to db/.

// Held until the end of its life. It is two locks: one of the server, which frees it with the
// session, so that it does not outlive a program that was killed; and a row, which programs at
// other nodes of a cluster see, too (decision O8). The holder of the row counts in it. Whoever
// holds the server's lock takes the row of an earlier holder at the same server at once, and that
// of one at another node when it has not counted for kStale. Names belong to the schema that is
// selected.
class NamedLock {
 public:
  static constexpr std::chrono::seconds kStale{30};

  // Creates the table of the rows, unless it exists.
  static void prepare(Database& database);

  // `purpose`: a word of letters. Waits for up to `patience`.
  NamedLock(Database& database, std::string purpose, std::chrono::milliseconds patience);
  ~NamedLock();
  NamedLock(const NamedLock&) = delete;
  NamedLock& operator=(const NamedLock&) = delete;

  // False if somebody else held it all the time.
  bool is_taken() const { return is_taken_; }
  // Counts, and throws Error{unavailable} unless the present session holds it: a session that was
  // lost is replaced between two statements. Precondition: inside a transaction, which keeps to one
  // session.
  void check();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Row {
    std::string holder;  // "" = nobody
    std::string server;
    std::int64_t renewals = 0;
    bool operator==(const Row&) const = default;
  };

  bool ask(const std::string& function);
  Row read_row();
  bool take_row();

  Database& database_;
  std::string purpose_;
  std::string name_;    // SQL
  std::string holder_;  // this one
  Row seen_;            // of another holder
  SteadyTime seen_at_{};
  bool is_taken_ = false;
};

}  // namespace goldsmith::db
