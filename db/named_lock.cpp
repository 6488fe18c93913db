#include "db/named_lock.hpp"

#include <thread>
#include <utility>

#include "app/sys/digest.hpp"

namespace goldsmith::db {
namespace {

constexpr std::chrono::milliseconds kPause{100};

std::string ask_text(Database& database, const std::string& expression) {
  const auto rows = database.query("SELECT " + expression);
  return rows->next() ? rows->text(1) : "";
}

// SQL. Named locks belong to the server, not to a schema. That of migrations keeps the name that
// programs of other versions know. MySQL 9.6 and later have no MD5().
std::string lock_name(Database& database, const std::string& purpose) {
  const std::string prefix = purpose == "migration" ? "goldsmith" : "goldsmith-" + purpose;
  return "'" + prefix + ":" + sys::md5_hex(ask_text(database, "DATABASE()")) + "'";
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
  return sys::md5_hex(ask_text(database, "CONCAT(@@hostname, ' ', @@port, ' ', @@datadir)"));
}

}  // namespace

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
