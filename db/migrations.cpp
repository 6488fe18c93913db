#include "db/migrations.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "db/named_lock.hpp"
#include "db/server_check.hpp"
#include "db/typed_rows.hpp"

namespace goldsmith::db {
namespace {

// How long to wait for another `migrate`.
constexpr std::chrono::seconds kMigrationPatience{90};

constexpr std::string_view kCreateTable =
    "CREATE TABLE IF NOT EXISTS schema_migrations ("
    "  number INT UNSIGNED NOT NULL,"
    "  name VARCHAR(128) NOT NULL,"
    "  digest CHAR(64) NOT NULL,"
    "  applied_at DATETIME NOT NULL,"
    "  PRIMARY KEY (number)"
    ") ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";

struct Applied {
  std::string name;
  std::string digest;
  domain::Timestamp time{};
};
using AppliedByNumber = std::map<int, Applied>;

bool ask(Database& database, std::string_view sql) {
  const auto rows = database.query(sql);
  return rows->next() && rows->integer(1) != 0;
}

AppliedByNumber load_applied(Database& database) {
  AppliedByNumber applied;
  if (!ask(database,
           "SELECT COUNT(*) FROM information_schema.tables"
           " WHERE table_schema = DATABASE() AND table_name = 'schema_migrations'")) {
    return applied;
  }
  const auto rows =
      database.query("SELECT number, name, digest, applied_at FROM schema_migrations");
  while (rows->next()) {
    applied[static_cast<int>(rows->integer(1))] = {rows->text(2), rows->text(3),
                                                   read_timestamp(*rows, 4)};
  }
  return applied;
}

// The SHA-256 of the text, as schema_migrations has it.
std::string digest(Database& database, const Migration& migration) {
  const auto rows = database.query("SELECT SHA2(?, 256)", {migration.sql});
  rows->next();
  return rows->text(1);
}

std::string file_name(int number, const std::string& name) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%04d", number);
  return digits + ("_" + name);
}

// Why this program can't use the schema; "" if it can.
std::string objection(Database& database, const std::vector<Migration>& known,
                      const AppliedByNumber& applied) {
  for (const auto& [number, row] : applied) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [n = number](const auto& each) { return each.number == n; });
    const std::string file = file_name(number, row.name);
    if (found == known.end()) {
      return "the database's schema is newer than this program: it has migration " + file +
             ", applied at " + domain::format_timestamp(row.time) +
             "; install the goldsmith that made it, or a later one";
    }
    if (digest(database, *found) != row.digest) {
      return "migration " + file_name(number, found->name) +
             " differs from the one that was applied at " + domain::format_timestamp(row.time) +
             " as " + file +
             "; a migration must not change once it is applied: restore it and put the change "
             "into a new one";
    }
  }
  return "";
}

void check_schema_is_selected(Database& database) {
  if (ask(database, "SELECT DATABASE() IS NOT NULL")) return;
  throw MigrationError("no database is selected: set its name (database.name)");
}

bool is_statement(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const auto first = line.find_first_not_of(" \t\r;");
    if (first != std::string_view::npos && !line.substr(first).starts_with("--")) return true;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

std::vector<std::string_view> split_statements(std::string_view sql) {
  std::vector<std::string_view> statements;
  while (!sql.empty()) {
    const auto end = std::min(sql.find(";\n"), sql.size());
    if (is_statement(sql.substr(0, end))) statements.push_back(sql.substr(0, end));
    sql.remove_prefix(std::min(end + 2, sql.size()));
  }
  return statements;
}

void apply(Database& database, const Migration& migration, NamedLock& lock) {
  const std::string sum = digest(database, migration);
  // A transaction rolls back what the server can roll back, and stays in one session: the one that
  // holds the lock.
  database.transaction([&] {
    lock.check();
    for (const std::string_view statement : split_statements(migration.sql)) {
      database.run(statement);
    }
    database.execute(
        "INSERT INTO schema_migrations (number, name, digest, applied_at)"
        " VALUES (?, ?, ?, UTC_TIMESTAMP())",
        {migration.number, migration.name, sum});
  });
}

}  // namespace

std::vector<MigrationStatus> migration_status(Database& database) {
  const AppliedByNumber applied = load_applied(database);
  std::map<int, MigrationStatus> by_number;
  for (const Migration& migration : known_migrations()) {
    by_number[migration.number] = {migration.number, migration.name, std::nullopt};
  }
  for (const auto& [number, row] : applied) by_number[number] = {number, row.name, row.time};
  std::vector<MigrationStatus> status;
  status.reserve(by_number.size());
  for (const auto& [number, each] : by_number) status.push_back(each);
  return status;
}

std::vector<Migration> migrate(Database& database) { return migrate(database, known_migrations()); }

std::vector<Migration> migrate(Database& database, const std::vector<Migration>& known) {
  check_schema_is_selected(database);
  if (const auto found = server_objection(database)) {
    throw MigrationError(found->problem + ": " + found->remedy);
  }
  NamedLock::prepare(database);
  NamedLock lock(database, "migration", kMigrationPatience);
  if (!lock.is_taken()) {
    throw MigrationError(
        "another migration of this database is running; try again when it is done");
  }
  const AppliedByNumber applied = load_applied(database);
  const std::string problem = objection(database, known, applied);
  if (!problem.empty()) throw MigrationError(problem);

  std::vector<Migration> pending;
  std::copy_if(known.begin(), known.end(), std::back_inserter(pending),
               [&](const auto& each) { return !applied.contains(each.number); });
  if (pending.empty()) return pending;
  database.run(kCreateTable);
  for (const Migration& migration : pending) {
    try {
      apply(database, migration, lock);
    } catch (const Error& error) {
      throw Error(error.kind(),
                  "migration " + file_name(migration.number, migration.name) + ": " + error.what());
    }
  }
  return pending;
}

bool is_current(Database& database) {
  const AppliedByNumber applied = load_applied(database);
  return applied.size() == known_migrations().size() &&
         objection(database, known_migrations(), applied).empty();
}

}  // namespace goldsmith::db
