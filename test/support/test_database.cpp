#include "test/support/test_database.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
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

// A table of the newest schema: the statement that makes it, and its rows, "" if it has none.
struct Table {
  std::string name;
  std::string definition;
  std::string values;
};

std::string definition_of(db::Database& database, const std::string& table) {
  const auto rows = database.query("SHOW CREATE TABLE `" + table + "`");
  rows->next();
  return rows->text(2);
}

std::vector<std::string> table_names(db::Database& database) {
  std::vector<std::string> names;
  const auto rows = database.query("SHOW TABLES");
  while (rows->next()) names.push_back(rows->text(1));
  return names;
}

// The number that the next row gets, as a definition shows it.
std::string next_number(const std::string& definition) {
  const auto begin = definition.find(" AUTO_INCREMENT=");
  if (begin == std::string::npos) return "";
  return definition.substr(begin, definition.find_first_of(" \n", begin + 1) - begin);
}

// A definition without that number, and without the character set, which MySQL shows of a table
// that was made from a definition and else leaves out.
std::string shape(std::string definition) {
  for (const std::string& part : {next_number(definition), std::string(" CHARACTER SET utf8mb4")}) {
    if (part.empty()) continue;
    for (auto at = definition.find(part); at != std::string::npos; at = definition.find(part, at)) {
      definition.erase(at, part.size());
    }
  }
  return definition;
}

std::vector<Table>& newest_schema() {
  static std::vector<Table> tables;
  return tables;
}

void fill(db::Database& database, const Table& table) {
  if (table.values.empty()) return;
  database.run("INSERT INTO `" + table.name + "` VALUES " + table.values);
}

// Brings an empty database to the newest schema. The migrations run once in a program: they take
// many times as long as what they lead to. Their own tests run each of them.
void make_schema(db::Database& database) {
  std::vector<Table>& made = newest_schema();
  if (made.empty()) {
    db::migrate(database);
    for (const std::string& name : table_names(database)) {
      made.push_back({name, definition_of(database, name), values_of(database, name)});
    }
    return;
  }
  database.run("SET FOREIGN_KEY_CHECKS = 0");
  for (const Table& table : made) {
    database.run(table.definition);
    fill(database, table);
  }
}

// Those of the tables that have rows.
std::set<std::string> filled_tables(db::Database& database) {
  std::string all;
  for (const Table& table : newest_schema()) {
    all += (all.empty() ? "SELECT '" : " UNION ALL SELECT '") + table.name +
           "' FROM DUAL WHERE EXISTS (SELECT 1 FROM `" + table.name + "`)";
  }
  std::set<std::string> filled;
  const auto rows = database.query(all);
  while (rows->next()) filled.insert(rows->text(1));
  return filled;
}

// The tables by name; nothing if the schema is another than the newest.
std::optional<std::map<std::string, std::string>> unchanged_definitions(db::Database& database) {
  const std::vector<std::string> names = table_names(database);
  if (names.size() != newest_schema().size()) return std::nullopt;
  if (database.query("SHOW TRIGGERS")->next()) return std::nullopt;
  std::map<std::string, std::string> definitions;
  for (const Table& table : newest_schema()) {
    if (std::ranges::find(names, table.name) == names.end()) return std::nullopt;
    std::string definition = definition_of(database, table.name);
    if (shape(definition) != shape(table.definition)) return std::nullopt;
    definitions.emplace(table.name, std::move(definition));
  }
  return definitions;
}

// Makes a database that a test has used as one that was just made; false if its schema was changed.
// A server takes ten times as long to make all tables as to empty those that a test has filled.
bool make_new(db::Database& database) {
  const auto definitions = unchanged_definitions(database);
  if (!definitions) return false;
  const std::set<std::string> filled = filled_tables(database);
  database.run("SET FOREIGN_KEY_CHECKS = 0");
  for (const Table& table : newest_schema()) {
    const bool is_numbered =
        next_number(definitions->at(table.name)) != next_number(table.definition);
    if (is_numbered || (filled.contains(table.name) && table.values.empty())) {
      database.run("TRUNCATE TABLE `" + table.name + "`");
    } else if (!table.values.empty()) {
      database.run("DELETE FROM `" + table.name + "`");
    }
    fill(database, table);
  }
  return true;
}

void drop(const std::string& name) {
  try {
    db::Database server(server_settings());
    server.run("DROP DATABASE IF EXISTS " + name);
  } catch (const std::exception& error) {
    std::cerr << "could not drop " << name << ": " << error.what() << '\n';
  }
}

constexpr std::string_view kPrefix = "goldsmith_test_";

// Those of processes that have ended.
void drop_leftovers(db::Database& server) {
  std::vector<std::string> left;
  const auto rows = server.query("SHOW DATABASES LIKE 'goldsmith\\_test\\_%'");
  while (rows->next()) {
    std::string name = rows->text(1);
    const ::pid_t process = std::atoi(name.c_str() + kPrefix.size());
    if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH) left.push_back(std::move(name));
  }
  for (const std::string& name : left) server.run("DROP DATABASE IF EXISTS " + name);
}

// Databases of the newest schema that tests have used, for the next ones.
class Used {
 public:
  void add(std::string name) {
    const std::lock_guard lock(mutex_);
    names_.push_back(std::move(name));
  }

  // "" if there is none.
  std::string take() {
    const std::lock_guard lock(mutex_);
    if (names_.empty()) return "";
    std::string name = std::move(names_.back());
    names_.pop_back();
    return name;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> names_;
};

Used& used_databases() {
  static Used databases;
  return databases;
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

TestDatabase::TestDatabase(Schema schema) : settings_(server_settings()), schema_(schema) {
  if (schema == Schema::migrated) {
    for (std::string used = used_databases().take(); !used.empty();
         used = used_databases().take()) {
      settings_.schema = used;
      db::Database database(settings_);
      if (make_new(database)) return;
      drop(used);
    }
  }
  static std::atomic<int> count{0};
  const int number = ++count;
  const std::string name =
      std::string(kPrefix) + std::to_string(::getpid()) + "_" + std::to_string(number);
  settings_.schema.clear();
  db::Database server(settings_);
  if (number == 1) drop_leftovers(server);
  server.run("DROP DATABASE IF EXISTS " + name);
  server.run("CREATE DATABASE " + name);
  settings_.schema = name;
  if (schema == Schema::empty) return;
  db::Database database(settings_);
  make_schema(database);
}

TestDatabase::~TestDatabase() {
  if (schema_ == Schema::empty) {
    drop(settings_.schema);
  } else {
    used_databases().add(settings_.schema);
  }
}

}  // namespace goldsmith::test
