// The connection to MySQL or MariaDB. MySQL Connector/C++ is behind this folder alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace goldsmith::sys {
struct DatabaseConfig;
}

namespace goldsmith::db {

struct ConnectionSettings {
  std::string socket;  // a path; "" = TCP to host and port
  std::string host = "127.0.0.1";
  std::uint16_t port = 3306;
  std::string schema;
  std::string user;
  std::string password;
  std::chrono::seconds connect_timeout{3};
  std::chrono::seconds read_timeout{10};
};

// From the options database.* of the configuration.
ConnectionSettings connection_settings(const sys::DatabaseConfig& config);

// A statement failed, or the server is unreachable. what() has the server's text: for logs and the
// operator, never for a client of the API.
class Error : public std::runtime_error {
 public:
  enum class Kind { unavailable, denied, duplicate, constraint, timeout, other };
  Error(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

// A statement's parameter. Strings are bound byte-exact; times are those of UTC.
using Parameter =
    std::variant<std::nullptr_t, std::int64_t, double, std::string_view, std::chrono::sys_seconds>;

// The rows of a query, all in memory.
class Rows {
 public:
  virtual ~Rows() = default;
  // Moves to the next row; false after the last. Columns are numbered from 1.
  virtual bool next() = 0;
  virtual std::string text(unsigned column) const = 0;  // "" for NULL
  virtual std::int64_t integer(unsigned column) const = 0;
  virtual double number(unsigned column) const = 0;
  virtual bool is_null(unsigned column) const = 0;
};

// One connection, opened on first use. If it is lost, it is opened again and the statement repeated
// once, unless a transaction is in progress: then Error{unavailable}. So a statement that must not
// run twice belongs in a transaction or in execute_once. A statement that exceeds `read_timeout` is
// not repeated: Error{timeout}. The next call connects again, so the service recovers by itself.
// Each statement is prepared once per connection. Functions throw Error. Not thread-safe.
class Database {
 public:
  explicit Database(ConnectionSettings settings);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  std::unique_ptr<Rows> query(std::string_view sql, std::initializer_list<Parameter> params = {});
  std::unique_ptr<Rows> query(std::string_view sql, const std::vector<Parameter>& params);
  // Returns the number of rows that changed; rows that were found but stay the same don't count.
  std::uint64_t execute(std::string_view sql, std::initializer_list<Parameter> params = {});
  std::uint64_t execute(std::string_view sql, const std::vector<Parameter>& params);
  // A single statement that must not run twice: not repeated, so that a lost connection is
  // Error{unavailable}. Costs a third of a transaction.
  std::uint64_t execute_once(std::string_view sql, std::initializer_list<Parameter> params);
  // Runs a statement that can't be prepared (migrations, SET).
  void run(std::string_view sql);
  std::int64_t last_insert_id();

  // Commits when `work` returns, rolls back when it throws. Transactions don't nest:
  // std::logic_error.
  void transaction(const std::function<void()>& work);
  // All queries of `work` see the data of one point in time. Inside a transaction, just runs
  // `work`.
  void read(const std::function<void()>& work);
  bool in_transaction() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace goldsmith::db
