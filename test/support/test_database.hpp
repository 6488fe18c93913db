// A database of a test's own on the server at GOLDSMITH_TEST_DB_SOCKET. One of the newest schema
// may have been another test's before, and been emptied. What is left at the end of a process the
// next one drops.
#pragma once

#include <string>

#include "db/database.hpp"

namespace goldsmith::test {

// The server's root account, no database selected. Throws when the variable is not set.
db::ConnectionSettings server_settings();

class TestDatabase {
 public:
  enum class Schema { empty, migrated };
  explicit TestDatabase(Schema schema = Schema::migrated);
  ~TestDatabase();
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  const std::string& name() const { return settings_.schema; }
  // How to connect to it as root; each connection is the caller's.
  const db::ConnectionSettings& settings() const { return settings_; }

 private:
  db::ConnectionSettings settings_;
  Schema schema_;
};

}  // namespace goldsmith::test
