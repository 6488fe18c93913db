#include "db/connection.hpp"

#include <mysql_connection.h>
#include <mysql_driver.h>

#include <algorithm>
#include <mutex>
#include <sstream>
#include <utility>

#include <cppconn/exception.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>
#include <fmt/core.h>

#include "app/domain/names.hpp"
#include "app/domain/timestamp.hpp"
#include "db/database.hpp"

namespace goldsmith::db {
namespace {

// Far more than the stores use; the server's own limit is for all its clients together.
constexpr std::size_t kMaxStatements = 256;

sql::SQLString url_of(const base::ServerAddress& server) {
  if (!server.socket.empty()) return "unix://" + server.socket;
  return "tcp://" + to_string(server);
}

void set_tls(sql::ConnectOptionsMap& options, const base::DatabaseTls& tls) {
  if (tls.mode == base::DatabaseTls::Mode::off) return;
  options["sslEnforce"] = true;
  if (!tls.certificate.empty()) {
    options["sslCert"] = sql::SQLString(tls.certificate.native());
    options["sslKey"] = sql::SQLString(tls.key.native());
  }
  if (tls.mode == base::DatabaseTls::Mode::verify) {
    options["sslCA"] = sql::SQLString(tls.authorities.native());
    options["sslVerify"] = true;
  }
}

std::unique_ptr<sql::Connection> connect(const base::ServerAddress& server,
                                         const ConnectionSettings& settings) {
  sql::ConnectOptionsMap options;
  options["hostName"] = url_of(server);
  options["userName"] = sql::SQLString(settings.user);
  options["password"] = sql::SQLString(settings.password);
  options["schema"] = sql::SQLString(settings.schema);
  options["OPT_CHARSET_NAME"] = sql::SQLString("utf8mb4");
  options["OPT_CONNECT_TIMEOUT"] = static_cast<int>(settings.connect_timeout.count());
  options["OPT_READ_TIMEOUT"] = static_cast<int>(settings.read_timeout.count());
  options["OPT_WRITE_TIMEOUT"] = static_cast<int>(settings.read_timeout.count());
  if (server.socket.empty()) set_tls(options, settings.tls);
  // Creating the driver and connecting use the library's globals.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return std::unique_ptr<sql::Connection>(
      sql::mysql::get_mysql_driver_instance()->connect(options));
}

// The server ends a wait for a lock before the client's timeout: its error tells what happened, a
// closed connection does not. The wait outlasts the six seconds for which commits stand still in a
// Galera cluster with default settings when one of its nodes dies. Lists in one column are never
// cut short.
std::string session_setup(const ConnectionSettings& settings) {
  const auto lock_wait = std::max<std::chrono::seconds::rep>(1, settings.read_timeout.count() - 1);
  return fmt::format(
      "SET NAMES utf8mb4 COLLATE {}, time_zone = '{}', sql_mode = '{}', "
      "group_concat_max_len = 1048576, innodb_lock_wait_timeout = {}",
      kCollation, kTimeZone, kSqlMode, lock_wait);
}

// Text is bound as text, so that it compares by the column's collation and with its index; other
// bytes are bound as binary, so that the server neither refuses nor changes them.
class Binder {
 public:
  Binder(sql::PreparedStatement& statement, Parameters params) {
    unsigned index = 0;
    for (const Parameter& parameter : params) {
      ++index;
      std::visit([&](const auto& value) { bind(statement, index, value); }, parameter);
    }
  }

 private:
  void bind(sql::PreparedStatement& statement, unsigned index, std::nullptr_t) {
    statement.setNull(index, 0);
  }
  void bind(sql::PreparedStatement& statement, unsigned index, std::int64_t value) {
    statement.setInt64(index, value);
  }
  void bind(sql::PreparedStatement& statement, unsigned index, domain::Timestamp value) {
    statement.setString(index, domain::format_timestamp(value));
  }
  void bind(sql::PreparedStatement& statement, unsigned index, std::string_view value) {
    if (domain::is_utf8(value)) {
      statement.setString(index, sql::SQLString(value.data(), value.size()));
      return;
    }
    // The statement reads the stream when it is executed.
    streams_.push_back(std::make_unique<std::istringstream>(std::string(value)));
    statement.setBlob(index, streams_.back().get());
  }

  std::vector<std::unique_ptr<std::istringstream>> streams_;
};

}  // namespace

Connection::Connection(const base::ServerAddress& server, const ConnectionSettings& settings)
    : session_(connect(server, settings)) {
  run(session_setup(settings));
  inquire();
  const bool is_open_to_view = server.socket.empty() && report_.cipher.empty();
  if (settings.tls.mode != base::DatabaseTls::Mode::off && is_open_to_view) {
    throw sql::SQLException("the connection is not encrypted, as database.tls demands", "08S01",
                            kTlsError);
  }
}

Connection::~Connection() = default;

sql::PreparedStatement& Connection::prepare(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    if (statements_.size() >= kMaxStatements) statements_.clear();
    std::unique_ptr<sql::PreparedStatement> statement(
        session_->prepareStatement(sql::SQLString(sql.data(), sql.size())));
    found = statements_.emplace(std::string(sql), std::move(statement)).first;
  }
  return *found->second;
}

std::unique_ptr<Rows> Connection::query(std::string_view sql, Parameters params) {
  sql::PreparedStatement& statement = prepare(sql);
  const Binder binder(statement, params);
  const std::unique_ptr<sql::ResultSet> result(statement.executeQuery());
  return fetch_rows(*result);
}

std::uint64_t Connection::execute(std::string_view sql, Parameters params) {
  sql::PreparedStatement& statement = prepare(sql);
  const Binder binder(statement, params);
  return static_cast<std::uint64_t>(std::max(0, statement.executeUpdate()));
}

std::unique_ptr<Rows> Connection::ask(std::string_view sql) {
  const std::unique_ptr<sql::Statement> statement(session_->createStatement());
  const std::unique_ptr<sql::ResultSet> result(
      statement->executeQuery(sql::SQLString(sql.data(), sql.size())));
  return fetch_rows(*result);
}

void Connection::inquire() {
  const auto server = ask("SELECT @@version, @@global.read_only, UNIX_TIMESTAMP()");
  if (!server->next()) return;
  // A number, and a word from MariaDB 12 on.
  const std::string read_only = server->text(2);
  report_ = {server->text(1), "", read_only != "0" && read_only != "OFF", server->integer(3)};
  bool is_node = false;
  bool is_ready = true;
  const auto status =
      ask("SHOW SESSION STATUS WHERE Variable_name IN"
          " ('Ssl_cipher', 'wsrep_provider_name', 'wsrep_ready')");
  while (status->next()) {
    const std::string name = status->text(1);
    const std::string value = status->text(2);
    if (name == "Ssl_cipher") report_.cipher = value;
    if (name == "wsrep_provider_name") is_node = !value.empty();
    if (name == "wsrep_ready") is_ready = value != "OFF";
  }
  if (is_node && !is_ready) {
    throw sql::SQLException("the node is not part of the cluster", "08S01", kNotReady);
  }
}

void Connection::run(std::string_view sql) {
  const std::unique_ptr<sql::Statement> statement(session_->createStatement());
  bool has_rows = statement->execute(sql::SQLString(sql.data(), sql.size()));
  // Rows that are not fetched would become those of the next statement.
  while (has_rows) {
    const std::unique_ptr<sql::ResultSet> result(statement->getResultSet());
    has_rows = statement->getMoreResults();
  }
}

}  // namespace goldsmith::db
