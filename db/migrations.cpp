#include "db/migrations.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "db/access_store.hpp"
#include "db/connection.hpp"
#include "db/database.hpp"
#include "db/records.hpp"

namespace goldsmith::db {

namespace {

// How long to wait for another `migrate`, and for those who use a table.
constexpr std::chrono::seconds kMigrationPatience{90};
// Who comes later waits behind a change that waits for a table: it waits in short turns.
constexpr std::string_view kShortWaits =
    "SET SESSION lock_wait_timeout = 2, innodb_lock_wait_timeout = 9";
constexpr std::chrono::seconds kTurnOfOthers{1};
// Of a statement: a large table is written anew.
constexpr std::chrono::hours kLongestChange{4};

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
  if (!ask(database,
           "SELECT COUNT(*) FROM information_schema.tables"
           " WHERE table_schema = DATABASE() AND table_name = 'schema_migrations'")) {
    return {};
  }
  const auto read = [](Row& row) {
    return std::pair{static_cast<int>(row.integer("number")),
                     Applied{row.text("name"), row.text("digest"), row.timestamp("applied_at")}};
  };
  return Records(database, read, "FROM schema_migrations").all<AppliedByNumber>();
}

// The SHA-256 of the text, as schema_migrations has it.
std::string digest(Database& database, const Migration& migration) {
  const auto rows = database.query("SELECT SHA2(?, 256)", {migration.sql});
  rows->next();
  return rows->text(1);
}

std::string file_name(int number, const std::string& name) {
  return fmt::format("{:04}_{}", number, name);
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

void apply_in_turns(Database& database, const Migration& migration, NamedLock& lock) {
  const auto deadline = std::chrono::steady_clock::now() + kMigrationPatience;
  database.run(kShortWaits);
  while (true) {
    try {
      return apply(database, migration, lock);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::timeout) throw;
      if (std::chrono::steady_clock::now() >= deadline) {
        throw Error(error.kind(), std::string(error.what()) +
                                      "; somebody uses its table, such as a backup: try again when "
                                      "that has ended");
      }
    }
    std::this_thread::sleep_for(kTurnOfOthers);
  }
}

constexpr std::chrono::milliseconds kPause{100};

std::string ask_text(Database& database, const std::string& expression) {
  const auto rows = database.query("SELECT " + expression);
  return rows->next() ? rows->text(1) : "";
}

// SQL. Named locks belong to the server, not to a schema. That of migrations keeps the name that
// programs of other versions know. MySQL 9.6 and later have no MD5().
std::string lock_name(Database& database, const std::string& purpose) {
  const std::string prefix = purpose == "migration" ? "goldsmith" : "goldsmith-" + purpose;
  return "'" + prefix + ":" + base::md5_hex(ask_text(database, "DATABASE()")) + "'";
}

constexpr std::string_view kCreateLocks =
    "CREATE TABLE IF NOT EXISTS command_locks ("
    "  name VARCHAR(32) NOT NULL,"
    "  holder VARCHAR(64) NOT NULL,"
    "  server CHAR(32) NOT NULL,"
    "  renewals BIGINT NOT NULL,"
    "  PRIMARY KEY (name)"
    ") ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";

// What tells the server from the other nodes.
std::string server_id(Database& database) {
  return base::md5_hex(ask_text(database, "CONCAT(@@hostname, ' ', @@port, ' ', @@datadir)"));
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
      apply_in_turns(database, migration, lock);
    } catch (const Error& error) {
      throw Error(error.kind(),
                  "migration " + file_name(migration.number, migration.name) + ": " + error.what());
    }
  }
  return pending;
}

std::vector<Migration> migrate(ConnectionSettings settings, const std::vector<Migration>& known) {
  settings.read_timeout = kLongestChange;
  Database database(settings);
  return migrate(database, known);
}

bool is_current(Database& database) {
  const AppliedByNumber applied = load_applied(database);
  return applied.size() == known_migrations().size() &&
         objection(database, known_migrations(), applied).empty();
}

bool is_newer(Database& database) {
  const AppliedByNumber applied = load_applied(database);
  return !applied.empty() && applied.rbegin()->first > known_migrations().back().number;
}

void change(Database& database, const std::function<bool()>& work) {
  const auto enclosed = [&] {
    // A locking read first: the transaction's view of the data begins behind it, with all that the
    // writer before has committed.
    database.query("SELECT value FROM revision WHERE id = 1 FOR UPDATE");
    if (!work()) return;
    database.execute("UPDATE revision SET value = value + 1, recorded = recorded + 1 WHERE id = 1");
  };
  // Several changes that belong together are one transaction of the caller's.
  if (database.in_transaction()) return enclosed();
  database.transaction(enclosed);
}

void record_plugin(Database& database, const domain::Slug& slug) {
  database.execute(
      "REPLACE INTO plugin_changes (slug, revision)"
      " SELECT ?, value + 1 FROM revision WHERE id = 1",
      {slug});
}

void record_staged_plugins(Database& database, std::int64_t first, std::int64_t end) {
  database.execute(
      "REPLACE INTO plugin_changes (slug, revision)"
      " SELECT s.slug, r.value + 1 FROM staged_plugins s JOIN revision r ON r.id = 1"
      " WHERE s.position >= ? AND s.position < ?",
      {first, end});
}

Progress next_progress(Rows& rows) {
  if (!rows.next()) return {};
  return {rows.integer(1), rows.integer(2), rows.integer(3), rows.integer(4)};
}

Progress read_progress(Database& database) {
  const auto rows = database.query(kProgressQuery);
  const Progress progress = next_progress(*rows);
  database.saw(progress);
  return progress;
}

void NamedLock::prepare(Database& database) {
  const auto rows = database.query(
      "SELECT 1 FROM information_schema.tables"
      " WHERE table_schema = DATABASE() AND table_name = 'command_locks'");
  if (!rows->next()) database.run(kCreateLocks);
}

NamedLock::NamedLock(Database& database, std::string purpose, std::chrono::milliseconds patience)
    : database_(database), purpose_(std::move(purpose)), name_(lock_name(database, purpose_)) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  bool has_session = false;
  while (true) {
    has_session = has_session || ask("GET_LOCK(" + name_ + ", 0)");
    is_taken_ = has_session && take_row();
    if (is_taken_ || std::chrono::steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(kPause);
  }
  if (has_session && !is_taken_) ask("RELEASE_LOCK(" + name_ + ")");
}

NamedLock::~NamedLock() {
  if (!is_taken_) return;
  try {
    database_.execute("UPDATE command_locks SET holder = '' WHERE name = ? AND holder = ?",
                      {purpose_, holder_});
    ask("RELEASE_LOCK(" + name_ + ")");
  } catch (const Error&) {
    // The session is gone, and its lock with it; the row is the next one's to take.
  }
}

NamedLock::Row NamedLock::read_row() {
  const auto rows = database_.query(
      "SELECT holder, server, renewals FROM command_locks WHERE name = ?", {purpose_});
  return rows->next() ? Row{rows->text(1), rows->text(2), rows->integer(3)} : Row{};
}

// The cluster lets one of two commit that take it at the same time at two nodes.
bool NamedLock::take_row() {
  try {
    const std::string here = server_id(database_);
    database_.execute(
        "INSERT IGNORE INTO command_locks (name, holder, server, renewals) VALUES (?, '', '', 0)",
        {purpose_});
    const Row row = read_row();
    const auto now = std::chrono::steady_clock::now();
    if (row != seen_) {
      seen_ = row;
      seen_at_ = now;
    }
    const bool is_free = row.holder.empty() || row.server == here || now - seen_at_ >= kStale;
    if (!is_free) return false;
    holder_ = ask_text(database_, "CONCAT(CONNECTION_ID(), '-', UUID())");
    return database_.execute_once(
               "UPDATE command_locks SET holder = ?, server = ?, renewals = renewals + 1"
               " WHERE name = ? AND holder = ? AND renewals = ?",
               {holder_, here, purpose_, row.holder, row.renewals}) == 1;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::conflict) throw;
    return false;  // another one was faster
  }
}

void NamedLock::check() {
  const bool is_held = ask("IS_USED_LOCK(" + name_ + ") = CONNECTION_ID()") &&
                       database_.execute(
                           "UPDATE command_locks SET renewals = renewals + 1"
                           " WHERE name = ? AND holder = ?",
                           {purpose_, holder_}) == 1;
  if (is_held) return;
  throw Error(Error::Kind::unavailable,
              "the connection that held the " + purpose_ + " lock was lost");
}

bool NamedLock::ask(const std::string& function) {
  const auto rows = database_.query("SELECT COALESCE(" + function + ", 0)");
  return rows->next() && rows->integer(1) != 0;
}

}  // namespace goldsmith::db
