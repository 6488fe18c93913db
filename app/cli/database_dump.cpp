#include "app/cli/database_dump.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/command.hpp"
#include "app/host/process.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kLongest{24};
constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The server that the configuration means, as Database chooses it.
db::ConnectionSettings choose(const base::DatabaseConfig& config) {
  const db::ConnectionSettings all = db::connection_settings(config);
  std::optional<db::Error> problem;
  for (const base::ServerAddress& address : all.servers) {
    db::ConnectionSettings one = all;
    one.servers = {address};
    try {
      if (!db::Database(one).report().is_read_only) return one;
      problem.emplace(db::Error::Kind::unavailable, base::to_string(address) + ": it is read-only");
    } catch (const db::Error& error) {
      problem.emplace(error.kind(), error.what());
    }
  }
  throw problem ? *problem : db::Error(db::Error::Kind::unavailable, "no server is configured");
}

std::string search_path() {
  const char* const path = std::getenv("PATH");
  return path && *path ? path : kPath;
}

std::string find_program(const std::string& name) {
  const std::string path = search_path();
  for (const std::string_view folder : base::split(path, ':')) {
    if (!folder.starts_with('/')) continue;
    const fs::path program = fs::path(folder) / name;
    if (::access(program.c_str(), X_OK) == 0) return program.string();
  }
  return "";
}

host::ProcessOutcome run(std::vector<std::string> arguments, int input = -1) {
  host::Command command;
  command.arguments = std::move(arguments);
  command.environment = {"LC_ALL=C.UTF-8", "PATH=" + search_path()};
  command.input = input;
  command.interruptible = true;
  command.limits.wall_clock = kLongest;
  return host::run_process(command);
}

bool is_of_mariadb(const std::string& program) {
  return run({program, "--version"}).output.find("MariaDB") != std::string::npos;
}

// MariaDB's dump of a MySQL server can't be loaded: it has the values of generated columns. MySQL's
// client does not know a line of MariaDB's dumps.
std::string program_of(const DatabaseServer& server, const char* of_mariadb, const char* of_mysql) {
  const bool is_mariadb = server.is_mariadb();
  std::string program = is_mariadb ? find_program(of_mariadb) : "";
  if (program.empty()) program = find_program(of_mysql);
  if (!program.empty() && is_of_mariadb(program) == is_mariadb) return program;
  const std::string wanted = is_mariadb ? of_mariadb : of_mysql;
  throw Failure(fmt::format(
      "the database server is {}, and its program {} {}: install the package {} of its vendor",
      server.version, wanted, program.empty() ? "is not installed" : "is another vendor's here",
      is_mariadb ? "mariadb-client" : "mysql-client"));
}

std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

std::string tls_options(const db::ConnectionSettings& settings, bool is_mariadb) {
  using Mode = base::DatabaseTls::Mode;
  const base::DatabaseTls& tls = settings.tls;
  // MariaDB's newer clients verify the certificate unless told not to; MySQL's need a key for
  // passwords without TLS.
  if (tls.mode == Mode::off) {
    return is_mariadb ? "skip-ssl\n" : "ssl-mode=DISABLED\nget-server-public-key\n";
  }
  std::string text;
  if (tls.mode == Mode::verify) {
    text = "ssl-ca=" + quoted(tls.authorities.string()) + '\n' +
           (is_mariadb ? "ssl-verify-server-cert\n" : "ssl-mode=VERIFY_IDENTITY\n");
  } else {
    text = is_mariadb ? "ssl\nskip-ssl-verify-server-cert\n" : "ssl-mode=REQUIRED\n";
  }
  if (!tls.certificate.empty()) {
    text += "ssl-cert=" + quoted(tls.certificate.string()) +
            "\nssl-key=" + quoted(tls.key.string()) + '\n';
  }
  return text;
}

// The account in a file, where no list of processes shows it.
fs::path write_options(const DatabaseServer& server, const fs::path& folder) {
  std::string text = "[client]\nuser=" + quoted(server.settings.user) + '\n';
  if (!server.settings.password.empty()) {
    text += "password=" + quoted(server.settings.password) + '\n';
  }
  if (!server.address.socket.empty()) {
    text += "protocol=socket\nsocket=" + quoted(server.address.socket) + '\n';
  } else {
    text += "protocol=tcp\nhost=" + quoted(server.address.host) +
            "\nport=" + std::to_string(server.address.port) + '\n' +
            tls_options(server.settings, server.is_mariadb());
  }
  const fs::path file = folder / "client.cnf";
  base::write_atomically(file, text, 0600);
  return file;
}

void check(const host::ProcessOutcome& outcome, const std::string& what) {
  using host::ProcessEnd;
  if (outcome.end == ProcessEnd::interrupted) base::check_interruption();
  if (outcome.end == ProcessEnd::exited && outcome.code == 0) return;
  std::string reason = outcome.reason.empty() ? outcome.output : outcome.reason;
  if (base::trim_ascii(reason).empty()) reason = fmt::format("it ended with {}", outcome.code);
  throw Failure(what + ": " + std::string(base::trim_ascii(reason)));
}

// Dumps end with a line that says so.
void check_end(const fs::path& dump) {
  constexpr off_t kTail = 512;
  const base::UniqueFd fd = base::open_file(dump, O_RDONLY | O_NOFOLLOW);
  const off_t size = ::lseek(fd.get(), 0, SEEK_END);
  std::string tail(kTail, '\0');
  const ssize_t got = ::pread(fd.get(), tail.data(), tail.size(), std::max<off_t>(0, size - kTail));
  tail.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  const std::string_view text = base::trim_ascii(tail);
  if (text.substr(text.rfind('\n') + 1).starts_with("-- Dump completed")) return;
  throw Failure("the dump of the database has no end: is the disk of " +
                dump.parent_path().string() + " full?");
}

}  // namespace

DatabaseServer::DatabaseServer(const base::DatabaseConfig& config)
    : settings(choose(config)), connection(settings) {
  address = settings.servers.front();
  version = connection.report().version;
}

bool DatabaseServer::is_mariadb() const { return version.find("MariaDB") != std::string::npos; }

std::int64_t DatabaseServer::tables() {
  const auto rows = connection.query(
      "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()");
  return rows->next() ? rows->integer(1) : 0;
}

void DatabaseServer::drop_tables() {
  const auto rows = connection.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()");
  connection.run("SET SESSION foreign_key_checks = 0");
  while (rows->next()) {
    std::string name = rows->text(1);
    for (std::size_t at = 0; (at = name.find('`', at)) != name.npos; at += 2) {
      name.insert(at, 1, '`');
    }
    connection.run("DROP TABLE `" + name + "`");
  }
  connection.run("SET SESSION foreign_key_checks = 1");
}

std::int64_t DatabaseServer::schema() {
  if (tables() == 0) return 0;
  const auto rows = connection.query("SELECT COALESCE(MAX(number), 0) FROM schema_migrations");
  return rows->next() ? rows->integer(1) : 0;
}

// The schema has tables alone, and the operator's account no privileges for anything else. Nobody
// waits for the dump: it reads one point in time in a transaction.
fs::path dump_database(DatabaseServer& server, const fs::path& folder) {
  const std::string program = program_of(server, "mariadb-dump", "mysqldump");
  fs::path dump = folder / "database.sql";
  std::vector<std::string> arguments = {program,
                                        "--defaults-file=" + write_options(server, folder).string(),
                                        "--single-transaction",
                                        "--skip-lock-tables",
                                        "--skip-add-locks",
                                        "--skip-triggers",
                                        "--no-tablespaces",
                                        "--hex-blob",
                                        "--max-allowed-packet=1G",
                                        "--default-character-set=utf8mb4",
                                        "--result-file=" + dump.string()};
  if (!server.is_mariadb()) arguments.emplace_back("--set-gtid-purged=OFF");
  arguments.push_back(server.settings.schema);
  check(run(std::move(arguments)), "the database can't be dumped");
  check_end(dump);
  return dump;
}

void check_can_load(const DatabaseServer& server) { program_of(server, "mariadb", "mysql"); }

void load_dump(DatabaseServer& server, const fs::path& dump, const fs::path& folder) {
  const std::string program = program_of(server, "mariadb", "mysql");
  const base::UniqueFd input = base::open_file(dump, O_RDONLY | O_NOFOLLOW);
  if (!server.is_mariadb()) {
    // MariaDB's dumps begin with a line that forbids its client to run programs. MySQL's ends
    // there.
    std::string start(256, '\0');
    start.resize(static_cast<std::size_t>(
        std::max<ssize_t>(0, ::read(input.get(), start.data(), start.size()))));
    const std::size_t end = start.find('\n');
    const bool has_line = start.starts_with("/*M!999999") && end != start.npos;
    ::lseek(input.get(), has_line ? static_cast<off_t>(end) + 1 : 0, SEEK_SET);
  }
  check(run({program, "--defaults-file=" + write_options(server, folder).string(), "--batch",
             "--max-allowed-packet=1G", "--default-character-set=utf8mb4", server.settings.schema},
            input.get()),
        "the database can't be loaded");
}

}  // namespace goldsmith::cli
