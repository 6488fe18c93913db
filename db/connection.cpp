#include "db/connection.hpp"

#include <mysql_connection.h>
#include <mysql_driver.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <sstream>
#include <tuple>
#include <utility>

#include <cppconn/exception.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>
#include <fmt/core.h>

#include "app/domain/names.hpp"
#include "app/domain/timestamp.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"

namespace goldsmith::db {
namespace {

constexpr std::string_view kCollation = "utf8mb4_bin";

// The modes that MariaDB and MySQL both have.
constexpr std::string_view kSqlMode =
    "STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,ONLY_FULL_GROUP_BY,"
    "NO_ENGINE_SUBSTITUTION";

constexpr std::string_view kTimeZone = "+00:00";

}  // namespace

// Numbers from MySQL's and MariaDB's error references: 1xxx, 3xxx and 4xxx are the server's, 2xxx
// the client library's.
Error::Kind error_kind(int code) {
  switch (code) {
    case 1040:  // too many connections
    case 1129:  // host blocked after too many failed connections
    case 1203:  // too many connections of this user
    case 1290:  // read_only
    case 1836:  // read-only mode
      return Error::Kind::unavailable;
    case kTlsError:
    case 3159:  // the server demands TLS
      return Error::Kind::untrusted;
    case 1044:  // no access to the schema
    case 1045:  // wrong user or password
    case 1142:  // no privilege on the table
    case 1143:  // no privilege on the column
    case 1227:  // no such global privilege
    case 1370:  // no privilege on the routine
    case 1698:  // wrong user or password, without a password given
      return Error::Kind::denied;
    case 1062:  // unique key
    case 1586:  // unique key, named
      return Error::Kind::duplicate;
    case 1048:  // column can't be NULL
    case 1216:  // foreign key, child
    case 1217:  // foreign key, parent
    case 1264:  // number out of range
    case 1265:  // value not of the column's type
    case 1292:  // invalid date
    case 1366:  // invalid UTF-8 or number
    case 1406:  // text too long
    case 1451:  // foreign key, parent, with its name
    case 1452:  // foreign key, child, with its name
    case 3819:  // CHECK, MySQL
    case 4025:  // CHECK, MariaDB
      return Error::Kind::constraint;
    case 1020:  // the row has changed since it was read, MariaDB
    case 1213:  // deadlock, or another node of the cluster was faster
      return Error::Kind::conflict;
    case 1205:  // lock wait
    case 1317:  // statement interrupted
    case 1969:  // max_statement_time, MariaDB
    case 3024:  // max_execution_time, MySQL
      return Error::Kind::timeout;
    default:
      return is_connection_lost(code) ? Error::Kind::unavailable : Error::Kind::other;
  }
}

bool is_connection_lost(int code) {
  switch (code) {
    case kNotReady:
    case 1180:  // error during COMMIT: the node has lost its cluster
    case 1053:  // the server is shutting down
    case 1080:  // the server closes the connection
    case 1243:  // unknown prepared statement: it belongs to another session
    case 1927:  // killed, MariaDB
    case 2002:  // can't connect to the socket
    case 2003:  // can't connect to the host
    case 2005:  // unknown host
    case 2006:  // gone away
    case 2012:  // error in the handshake
    case 2013:  // lost during the query
    case 2030:  // statement not prepared
    case 2055:  // lost, with the system's error
    case 4031:  // closed for inactivity, MySQL
      return true;
    default:
      return false;
  }
}

bool is_read_only(int code) { return code == 1290 || code == 1836; }

std::string describe(const sql::SQLException& exception) {
  std::string text = exception.what();
  if (exception.getErrorCode() != 0) {
    text += fmt::format(" (MySQL error {}, SQLSTATE {})", exception.getErrorCode(),
                        exception.getSQLState());
  }
  return text;
}

bool is_rolled_back(int code) { return code == 1020 || code == 1213; }

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
  void bind(sql::PreparedStatement& statement, unsigned index, double value) {
    statement.setDouble(index, value);
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

namespace {

// Shorter than the idle times after which firewalls and load balancers forget a connection.
constexpr std::chrono::seconds kLongestIdle{60};
// When a server falls silent, workers that were idle meet it one after another.
constexpr std::chrono::seconds kLongestIdleWithAlternative{3};

ConnectionSettings adapt_to_workers(ConnectionSettings settings, bool has_alternative,
                                    const base::DatabaseConfig& config) {
  settings.logs_changes = true;
  settings.longest_idle = has_alternative ? kLongestIdleWithAlternative : kLongestIdle;
  if (has_alternative) {
    settings.read_timeout = std::min(settings.read_timeout, config.failover_timeout);
  }
  return settings;
}

}  // namespace

ConnectionSettings connection_settings(const base::DatabaseConfig& config) {
  ConnectionSettings settings;
  settings.servers = config.hosts;
  if (settings.servers.empty()) settings.servers = {{config.socket, config.host, config.port}};
  settings.schema = config.name;
  settings.user = config.user;
  settings.password = config.password;
  settings.connect_timeout = config.connect_timeout;
  settings.read_timeout = config.read_timeout;
  settings.tls = config.tls;
  return settings;
}

ConnectionSettings replica_settings(const base::DatabaseConfig& config) {
  ConnectionSettings settings = connection_settings(config);
  settings.servers = config.read_hosts;
  return settings;
}

ConnectionSettings worker_settings(const base::DatabaseConfig& config) {
  ConnectionSettings settings = connection_settings(config);
  const bool has_alternative = settings.servers.size() > 1;
  return adapt_to_workers(std::move(settings), has_alternative, config);
}

ConnectionSettings worker_replica_settings(const base::DatabaseConfig& config) {
  return adapt_to_workers(replica_settings(config), true, config);
}

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
