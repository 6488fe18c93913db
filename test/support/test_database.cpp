#include "test/support/test_database.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "db/migrations.hpp"

namespace goldsmith::test {

namespace {

// The rows of a table as text that INSERT takes: "('1', 'one'), ('2', NULL)"; "" if it is empty.
std::string values_of(db::Database& database, const std::string& table) {
  std::string quoted;
  const auto columns = database.query(
      "SELECT column_name FROM information_schema.columns"
      " WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position",
      {std::string_view{table}});
  while (columns->next()) quoted += ", QUOTE(`" + columns->text(1) + "`)";
  const auto rows = database.query("SELECT CONCAT_WS(', '" + quoted + ") FROM `" + table + "`");
  std::string values;
  while (rows->next()) values += (values.empty() ? "(" : ", (") + rows->text(1) + ")";
  return values;
}

// The statements that make the same schema with the same rows, in one step for each table.
std::vector<std::string> statements_of(db::Database& database) {
  std::vector<std::string> statements{"SET FOREIGN_KEY_CHECKS = 0"};
  const auto tables = database.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()");
  while (tables->next()) {
    const std::string table = tables->text(1);
    const auto definition = database.query("SHOW CREATE TABLE `" + table + "`");
    definition->next();
    statements.push_back(definition->text(2));
    const std::string values = values_of(database, table);
    if (!values.empty()) statements.push_back("INSERT INTO `" + table + "` VALUES " + values);
  }
  return statements;
}

// Brings an empty database to the newest schema. The migrations run once in a program: they take
// many times as long as what they lead to. Their own tests run each of them.
void make_schema(db::Database& database) {
  static std::vector<std::string> made;
  if (made.empty()) {
    db::migrate(database);
    made = statements_of(database);
    return;
  }
  for (const std::string& statement : made) database.run(statement);
}

}  // namespace

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
  make_schema(database);
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
