// The connection to MySQL or MariaDB. MySQL Connector/C++ is behind this folder alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/base/config.hpp"
#include "app/domain/names.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::db {

class Session;

struct ConnectionSettings {
  // In order of preference: the first that is reachable and not read-only is used.
  std::vector<base::ServerAddress> servers{base::ServerAddress{}};
  std::string schema;
  std::string user;
  std::string password;
  std::chrono::seconds connect_timeout{3};
  std::chrono::seconds read_timeout{10};
  // A connection over TCP that was idle for longer is opened again, for something on the way may
  // have dropped it without a word. 0 = never, so that locks of the session are kept.
  std::chrono::milliseconds longest_idle{0};
  base::DatabaseTls tls;
  // Logs what changes about a server: reachable or not, read-only, behind, a different clock.
  bool logs_changes = false;
};

// From the options database.* of the configuration.
ConnectionSettings connection_settings(const base::DatabaseConfig& config);
// The settings for the replicas, database.read_hosts; without servers if there are none.
ConnectionSettings replica_settings(const base::DatabaseConfig& config);
// The settings of workers: where another server could answer, they wait for
// database.failover_timeout.
ConnectionSettings worker_settings(const base::DatabaseConfig& config);
ConnectionSettings worker_replica_settings(const base::DatabaseConfig& config);

// How far a host has seen the data: what a replica must have before it is read.
struct Progress {
  std::int64_t revision = 0;
  std::int64_t verdicts = 0;
  std::int64_t downloads = 0;  // the newest id in the download log
  std::int64_t schema = 0;     // the newest migration
  bool includes(const Progress& other) const {
    return revision >= other.revision && verdicts >= other.verdicts &&
           downloads >= other.downloads && schema >= other.schema;
  }
};

// Seconds by which two clocks that agree may differ: one may be read a second later.
constexpr std::int64_t kClocksApart = 5;

// What a server says of itself.
struct ServerReport {
  std::string version;
  std::string cipher;  // "" = the connection is not encrypted
  bool is_read_only = false;
  std::int64_t clock = 0;  // seconds since the epoch
};

// A statement failed, or the server is unreachable. what() has the server's text: for logs and the
// operator, never for a client of the API.
class Error : public std::runtime_error {
 public:
  // `untrusted`: TLS as in database.tls could not be had, or the server's certificate is not good.
  // `conflict`: the server has rolled back the transaction because of another one, or because a
  // table was altered since it began, as during an upgrade.
  enum class Kind {
    unavailable,
    untrusted,
    denied,
    duplicate,
    constraint,
    conflict,
    timeout,
    other
  };
  Error(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

// A statement's parameter. Strings are bound byte-exact and must outlive the statement's execution:
// one that nobody else holds does not compile. Times are those of UTC.
struct Parameter
    : std::variant<std::nullptr_t, std::int64_t, std::string_view, std::chrono::sys_seconds> {
  using variant::variant;
  Parameter(std::string&&) = delete;
  Parameter(const std::string&&) = delete;
};
using Parameters = std::span<const Parameter>;

// The rows of a query, all in memory. Columns are numbered from 1.
class Rows {
 public:
  using Cell = std::variant<std::monostate, std::int64_t, std::string>;
  // `cells`: row by row.
  Rows(std::vector<Cell> cells, std::size_t columns)
      : cells_(std::move(cells)), columns_(columns) {}

  // Moves to the next row; false after the last.
  bool next();
  std::string text(unsigned column) const;  // "" for NULL
  std::int64_t integer(unsigned column) const;
  bool is_null(unsigned column) const;

 private:
  const Cell& at(unsigned column) const;

  std::vector<Cell> cells_;
  std::size_t columns_;
  std::size_t end_ = 0;  // after the current row
};

// One connection, opened on first use. If it is lost, it is opened again and the statement repeated
// once, unless a transaction is in progress: then Error{unavailable}. So a statement that must not
// run twice belongs in a transaction or in execute_once. A statement that exceeds `read_timeout` is
// not repeated: Error{timeout}. The next call connects again, so the service recovers by itself.
// A statement outside a transaction that the server rolled back because of a conflict is repeated
// up to five times: it has done nothing. Each statement is prepared once per connection. Functions
// throw Error. Not thread-safe.
//
// With several servers (decision O6), a new connection goes to the first that is reachable and not
// read-only; one that failed is left out for a while. A server that exceeds `read_timeout`, and
// then doesn't greet a new client either, counts as lost. A statement that was refused because the
// server is read-only is repeated on the next server, unless a transaction is in progress. Once a
// preferred server is back, the next statement outside a transaction uses it.
class Database {
 public:
  explicit Database(ConnectionSettings settings);
  // Reads from replicas of `primary`, which must outlive it (decision O7). The primary answers
  // while no replica is reachable that has the progress that the primary has seen; it executes all
  // that is not a query.
  Database(ConnectionSettings replicas, Database& primary);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  std::unique_ptr<Rows> query(std::string_view sql, Parameters params);
  std::unique_ptr<Rows> query(std::string_view sql, std::initializer_list<Parameter> params = {}) {
    return query(sql, Parameters(params.begin(), params.size()));
  }
  // Returns the number of rows that changed; rows that were found but stay the same don't count.
  std::uint64_t execute(std::string_view sql, Parameters params);
  std::uint64_t execute(std::string_view sql, std::initializer_list<Parameter> params = {}) {
    return execute(sql, Parameters(params.begin(), params.size()));
  }
  // A single statement that must not run twice: not repeated, so that a lost connection is
  // Error{unavailable}. Costs a third of a transaction.
  std::uint64_t execute_once(std::string_view sql, std::initializer_list<Parameter> params);
  // Runs a statement that can't be prepared (migrations, SET).
  void run(std::string_view sql);
  std::int64_t last_insert_id();

  // Commits when `work` returns, rolls back when it throws. Transactions don't nest:
  // std::logic_error.
  void transaction(const std::function<void()>& work);
  // transaction(), but after a conflict `work` is called again, at most five times in all, and once
  // more if the connection was lost before the commit, so that it must not change anything but the
  // database. A connection that is lost during the commit is Error{unavailable}: the server may or
  // may not have committed.
  void repeated_transaction(const std::function<void()>& work);
  // repeated_transaction() for `work` that changes nothing if it was committed before: once more
  // also if the connection was lost during the commit.
  void idempotent_transaction(const std::function<void()>& work);
  // All queries of `work` see the data of one point in time. After a conflict `work` is called
  // again, at most five times in all, so that it must begin anew. Inside a transaction, just runs
  // `work`.
  void read(const std::function<void()>& work);
  bool in_transaction() const;

  // What this host has seen; see Database(replicas, primary).
  void saw(const Progress& progress);
  // About the server of the present connection, which is opened if there is none.
  ServerReport report();

 private:
  struct State;
  // Calls work(Session&) with the session that answers queries.
  template <class Work>
  auto reading(const Work& work);
  Session& writing();
  void repeat_transaction(const std::function<void()>& work, bool is_idempotent);

  std::unique_ptr<State> state_;
};

// An absent time is NULL.
Parameter nullable(const std::optional<domain::Timestamp>& time);

// An absent value as ''. The view is valid as long as `value`.
template <class Text>
std::string_view text_or_empty(const std::optional<Text>& value) {
  return value ? std::string_view(*value) : std::string_view();
}

// Many rows in few statements. Private to db/.

// `insert` is "INSERT INTO table (a, b) VALUES"; `values` has the values of all rows in order,
// `columns` per row. Throws Error.
void insert_rows(Database& database, std::string_view insert, std::size_t columns,
                 const std::vector<Parameter>& values);

}  // namespace goldsmith::db
