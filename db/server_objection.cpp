// Whether a server is one that the statements were written for (connection.hpp).
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include <fmt/core.h>

#include "db/connection.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"

namespace goldsmith::db {

namespace {

struct Release {
  int major = 0;
  int minor = 0;
};

constexpr Release kOldestMariaDb{10, 11};
constexpr Release kOldestMySql{8, 0};
// They speak MySQL's protocol, and differ in locks, transactions or DDL.
constexpr std::string_view kOthers[] = {"TiDB", "OceanBase", "Vitess", "Dolt", "SingleStore"};

std::string to_string(Release release) {
  return fmt::format("{}.{}", release.major, release.minor);
}

// A proxy that shares connections among clients may forget what a session has set.
std::optional<ServerObjection> session_objection(Database& database) {
  const auto session = database.query("SELECT @@sql_mode, @@time_zone, @@collation_connection");
  session->next();
  const std::string modes = session->text(1);
  const auto count = [](std::string_view text) {
    return std::count(text.begin(), text.end(), ',');
  };
  bool is_kept = count(modes) == count(kSqlMode) && session->text(2) == kTimeZone &&
                 session->text(3) == kCollation;
  for (std::string_view rest = kSqlMode; is_kept && !rest.empty();) {
    const std::string_view mode = rest.substr(0, rest.find(','));
    is_kept = ("," + modes + ",").find("," + std::string(mode) + ",") != std::string::npos;
    rest.remove_prefix(std::min(mode.size() + 1, rest.size()));
  }
  if (is_kept) return std::nullopt;
  return ServerObjection{fmt::format("a session has sql_mode \"{}\", time_zone \"{}\" and "
                                     "collation_connection \"{}\", which is not what it has set",
                                     modes, session->text(2), session->text(3)),
                         "connect to the server itself, not to a proxy that shares connections"};
}

bool is_ours(const std::string& table) {
  const auto& known = known_migrations();
  return std::any_of(known.begin(), known.end(), [&](const Migration& each) {
    return each.sql.find("CREATE TABLE IF NOT EXISTS " + table + " (") != std::string::npos;
  });
}

// Somebody has converted a table: names that differ in case alone would be equal.
std::optional<ServerObjection> collation_objection(Database& database) {
  const auto columns = database.query(
      "SELECT table_name, column_name, collation_name FROM information_schema.columns"
      " WHERE table_schema = DATABASE() AND collation_name <> ? ORDER BY 1, ordinal_position",
      {kCollation});
  while (columns->next()) {
    const std::string table = columns->text(1);
    if (!is_ours(table)) continue;
    return ServerObjection{fmt::format("the column {}.{} has the collation {} but must have {}",
                                       table, columns->text(2), columns->text(3), kCollation),
                           fmt::format("ALTER TABLE {} CONVERT TO CHARACTER SET utf8mb4 COLLATE {}",
                                       table, kCollation)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ServerObjection> version_objection(const std::string& version,
                                                 const std::string& comment) {
  const std::string said = version + ", " + comment;
  const std::string remedy =
      fmt::format("install MariaDB {}, MySQL {}, or a later version of either",
                  to_string(kOldestMariaDb), to_string(kOldestMySql));
  const bool is_other = std::any_of(std::begin(kOthers), std::end(kOthers), [&](auto other) {
    return said.find(other) != std::string::npos;
  });
  Release release;
  if (is_other || std::sscanf(version.c_str(), "%d.%d", &release.major, &release.minor) != 2) {
    return ServerObjection{"the server is neither MariaDB nor MySQL (" + said + ")", remedy};
  }
  const bool is_mariadb = said.find("MariaDB") != std::string::npos;
  const Release oldest = is_mariadb ? kOldestMariaDb : kOldestMySql;
  if (std::tie(release.major, release.minor) >= std::tie(oldest.major, oldest.minor)) {
    return std::nullopt;
  }
  return ServerObjection{"the server is too old (" + said + ")", remedy};
}

std::optional<ServerObjection> server_objection(Database& database) {
  const auto server = database.query("SELECT @@version, @@version_comment");
  server->next();
  if (auto found = version_objection(server->text(1), server->text(2))) return found;
  if (auto found = session_objection(database)) return found;
  return collation_objection(database);
}

}  // namespace goldsmith::db
