// One session with the server and its prepared statements. Throws sql::SQLException; Database turns
// that into db::Error. Private to db/.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "db/database.hpp"

namespace sql {
class Connection;
class PreparedStatement;
}  // namespace sql

namespace goldsmith::db {

class Connection {
 public:
  // Connects and sets what the stores rely on: UTF-8, UTC, strict mode.
  explicit Connection(const ConnectionSettings& settings);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::unique_ptr<Rows> query(std::string_view sql, std::span<const Parameter> params);
  std::uint64_t execute(std::string_view sql, std::span<const Parameter> params);
  void run(std::string_view sql);

 private:
  sql::PreparedStatement& prepare(std::string_view sql);

  std::unique_ptr<sql::Connection> session_;
  // After the session, so that they are closed before it.
  std::map<std::string, std::unique_ptr<sql::PreparedStatement>, std::less<>> statements_;
};

}  // namespace goldsmith::db
