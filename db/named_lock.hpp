// A lock among the programs that use one schema. Private to db/.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "db/database.hpp"

namespace goldsmith::db {

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
