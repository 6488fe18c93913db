#include "test/support/test_database.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "db/migrations.hpp"

namespace goldsmith::test {

db::ConnectionSettings server_settings() {
  const char* const socket = std::getenv("GOLDSMITH_TEST_DB_SOCKET");
  if (socket == nullptr) {
    throw std::runtime_error(
        "GOLDSMITH_TEST_DB_SOCKET is not set: run this through ctest, or start a server with "
        "scripts/tools/private-database DIR start and set it to DIR/sock");
  }
  db::ConnectionSettings settings;
  // A link where the path is too long for a socket.
  settings.servers.front().socket = std::filesystem::is_symlink(socket)
                                        ? std::filesystem::read_symlink(socket).string()
                                        : std::string(socket);
  settings.user = "root";
  return settings;
}

TestDatabase::TestDatabase(Schema schema) : settings_(server_settings()) {
  static std::atomic<int> count{0};
  const std::string name =
      "goldsmith_test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
  db::Database server(settings_);
  server.run("DROP DATABASE IF EXISTS " + name);
  server.run("CREATE DATABASE " + name);
  settings_.schema = name;
  if (schema == Schema::empty) return;
  db::Database database(settings_);
  db::migrate(database);
}

TestDatabase::~TestDatabase() {
  try {
    db::Database server(server_settings());
    server.run("DROP DATABASE IF EXISTS " + settings_.schema);
  } catch (const std::exception& error) {
    std::cerr << "could not drop " << settings_.schema << ": " << error.what() << '\n';
  }
}

}  // namespace goldsmith::test
