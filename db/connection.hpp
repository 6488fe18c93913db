// One session with the server and its prepared statements. Throws sql::SQLException; Database turns
// that into db::Error. Private to db/.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "db/database.hpp"

namespace sql {
class Connection;
class PreparedStatement;
class ResultSet;
}  // namespace sql

namespace goldsmith::db {

// A copy, which outlives the statement.
std::unique_ptr<Rows> fetch_rows(sql::ResultSet& result);

class Connection {
 public:
  // Connects to one of the servers of `settings` and sets what the stores rely on: UTF-8, UTC,
  // strict mode. Refuses a connection that lacks the TLS of `settings`, and a node of a cluster
  // that is not ready.
  Connection(const sys::ServerAddress& server, const ConnectionSettings& settings);
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

}  // namespace goldsmith::db
