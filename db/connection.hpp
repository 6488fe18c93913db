// One connection to a server: how it is opened and set up, and what its errors mean. Private to
// db/.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "db/database.hpp"

namespace sql {
class SQLException;
}
namespace sql {
class Connection;
class PreparedStatement;
class ResultSet;
}  // namespace sql

namespace goldsmith::db {

// What each session sets.
inline constexpr std::string_view kCollation = "utf8mb4_bin";

// The modes that MariaDB and MySQL both have.
inline constexpr std::string_view kSqlMode =
    "STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,ONLY_FULL_GROUP_BY,"
    "NO_ENGINE_SUBSTITUTION";

inline constexpr std::string_view kTimeZone = "+00:00";

// The meaning of the server's and the client library's error numbers. Private to db/.

constexpr int kNotReady = 1047;  // a node of a cluster that does not serve
constexpr int kTlsError = 2026;

// The server's text with its numbers.
std::string describe(const sql::SQLException& exception);

// The kind that callers see.
Error::Kind error_kind(int code);

// The connection and its prepared statements are lost.
bool is_connection_lost(int code);

// The server refused to write, and has changed nothing: it is a replica, or another one has taken
// its place.
bool is_read_only(int code);

// The server has rolled back the whole transaction, or can't go on with it.
bool ends_transaction(int code);

// One session with the server and its prepared statements. Throws sql::SQLException; Database turns
// that into db::Error. Private to db/.

// A copy, which outlives the statement.
std::unique_ptr<Rows> fetch_rows(sql::ResultSet& result);

class Connection {
 public:
  // Connects to one of the servers of `settings` and sets what the stores rely on: UTF-8, UTC,
  // strict mode. Refuses a connection that lacks the TLS of `settings`, and a node of a cluster
  // that is not ready.
  Connection(const base::ServerAddress& server, const ConnectionSettings& settings);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::unique_ptr<Rows> query(std::string_view sql, Parameters params);
  std::uint64_t execute(std::string_view sql, Parameters params);
  void run(std::string_view sql);

  // As of the last inquiry, the first of which is made by the constructor.
  const ServerReport& report() const { return report_; }
  void inquire();

  // What a replica had when it was last asked.
  Progress progress;

 private:
  std::unique_ptr<Rows> ask(std::string_view sql);
  sql::PreparedStatement& prepare(std::string_view sql);

  std::unique_ptr<sql::Connection> session_;
  // After the session, so that they are closed before it.
  std::map<std::string, std::unique_ptr<sql::PreparedStatement>, std::less<>> statements_;
  ServerReport report_;
};

// Whether a server and the tables on it are what the statements of db/ were written for.
struct ServerObjection {
  std::string problem;
  std::string remedy;
};

// Why the server can't be used; std::nullopt if it can. Looks at the present connection, and
// changes nothing. The server's own sql_mode, time zone, character set, collation and
// lower_case_table_names do not matter: sessions set what they need, and tables name theirs.
// Throws Error.
std::optional<ServerObjection> server_objection(Database& database);

// server_objection() of a server with these values of @@version and @@version_comment.
std::optional<ServerObjection> version_objection(const std::string& version,
                                                 const std::string& comment);

}  // namespace goldsmith::db
