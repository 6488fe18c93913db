#include "db/named_lock.hpp"

#include <thread>
#include <utility>

namespace goldsmith::db {
namespace {

constexpr std::chrono::milliseconds kPause{100};

// SQL. Named locks belong to the server, not to a schema. That of migrations keeps the name that
// programs of other versions know.
std::string lock_name(const std::string& purpose) {
  const std::string prefix = purpose == "migration" ? "goldsmith" : "goldsmith-" + purpose;
  return "CONCAT('" + prefix + ":', MD5(DATABASE()))";
}

}  // namespace

NamedLock::NamedLock(Database& database, std::string purpose, std::chrono::milliseconds patience)
    : database_(database), purpose_(std::move(purpose)), name_(lock_name(purpose_)) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!(is_taken_ = ask("GET_LOCK(" + name_ + ", 0)")) &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kPause);
  }
}

NamedLock::~NamedLock() {
  try {
    if (is_taken_) ask("RELEASE_LOCK(" + name_ + ")");
  } catch (const Error&) {
    // The session is gone, and the lock with it.
  }
}

void NamedLock::check() {
  if (ask("IS_USED_LOCK(" + name_ + ") = CONNECTION_ID()")) return;
  throw Error(Error::Kind::unavailable,
              "the connection that held the " + purpose_ + " lock was lost");
}

bool NamedLock::ask(const std::string& function) {
  const auto rows = database_.query("SELECT COALESCE(" + function + ", 0)");
  return rows->next() && rows->integer(1) != 0;
}

}  // namespace goldsmith::db
