// A lock among the programs that use one schema. Private to db/.
#pragma once

#include <chrono>
#include <string>

#include "db/database.hpp"

namespace goldsmith::db {

// Held until the end of its life; the server frees it with the session, so that it does not outlive
// a program that was killed. Names belong to the schema that is selected.
class NamedLock {
 public:
  // `purpose`: a word of letters. Waits for up to `patience`.
  NamedLock(Database& database, std::string purpose, std::chrono::milliseconds patience);
  ~NamedLock();
  NamedLock(const NamedLock&) = delete;
  NamedLock& operator=(const NamedLock&) = delete;

  // False if somebody else held it all the time.
  bool is_taken() const { return is_taken_; }
  // Throws Error{unavailable} unless the present session holds it: a session that was lost is
  // replaced between two statements. Precondition: inside a transaction, which keeps to one
  // session.
  void check();

 private:
  bool ask(const std::string& function);

  Database& database_;
  std::string purpose_;
  std::string name_;  // SQL
  bool is_taken_ = false;
};

}  // namespace goldsmith::db
