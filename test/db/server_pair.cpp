#include "test/db/server_pair.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "db/migrations.hpp"

namespace goldsmith::test {
namespace {

using namespace std::string_literals;

constexpr const char* kMakeCertificates = R"(
set -e
request() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -subj "/CN=$1" "${@:2}"; }
signed() { request "$1" -out "$1.csr"; openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial \
  -days 30 -extfile <(printf '%s' "$2") -out "$1.pem"; }
request ca -x509 -days 30 -out ca.pem
request other -x509 -days 30 -out other.pem
signed server 'subjectAltName=DNS:localhost'
signed client ''
chmod 755 .
chmod 644 *
)";

std::vector<std::string> over_tcp_at(std::uint16_t port, std::vector<std::string> options) {
  options.insert(options.end(), {"--skip-networking=OFF", "--bind-address=127.0.0.1",
                                 "--port=" + std::to_string(port)});
  return options;
}

// SQL. What makes a server the replica of the one of `settings`, which listens at `port`.
std::string follow(const db::ConnectionSettings& settings, std::uint16_t port) {
  db::Database primary(settings);
  const bool of_mariadb = is_mariadb(primary);
  const std::string source = of_mariadb ? "MASTER" : "SOURCE";
  std::string options;
  for (const std::string& option :
       {"HOST = '127.0.0.1'"s, "PORT = " + std::to_string(port), "USER = 'replication'"s,
        "PASSWORD = 'secret'"s, "CONNECT_RETRY = 1"s, "SSL = 1"s, "LOG_FILE = 'log.000001'"s,
        "LOG_POS = 4"s}) {
    options += (options.empty() ? " " : ", ") + source + "_" + option;
  }
  return (of_mariadb ? "CHANGE MASTER TO" : "CHANGE REPLICATION SOURCE TO") + options;
}

}  // namespace

void wait_until(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    BOOST_REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

Listening::Listening() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  BOOST_REQUIRE(::bind(socket_.get(), generic, size) == 0);
  BOOST_REQUIRE(::listen(socket_.get(), 64) == 0);
  BOOST_REQUIRE(::getsockname(socket_.get(), generic, &size) == 0);
  port_ = ntohs(address.sin_port);
}

Certificates::Certificates() {
  host::Command command;
  command.arguments = {"/bin/bash", "-c", kMakeCertificates};
  command.working_directory = folder_.path();
  command.environment = {"PATH=/usr/bin:/bin"};
  const auto outcome = host::run_process(command);
  BOOST_REQUIRE_MESSAGE(outcome.code == 0, outcome.output << outcome.reason);
}

ServerPair::ServerPair()
    : port(Listening().port()),
      replica_port(Listening().port()),
      primary(over_tcp_at(
          port, {"--server-id=1", "--log-bin=log", "--ssl-ca=" + certificates.path("ca.pem"),
                 "--ssl-cert=" + certificates.path("server.pem"),
                 "--ssl-key=" + certificates.path("server.key")})),
      replica(over_tcp_at(replica_port, {"--server-id=2", "--read-only", "--skip-ssl"})) {
  on_primary("CREATE USER app");
  on_primary("CREATE DATABASE goldsmith");
  on_primary("GRANT ALL ON goldsmith.* TO app");
  on_primary("CREATE USER replication IDENTIFIED BY 'secret'");
  on_primary("GRANT REPLICATION SLAVE ON *.* TO replication");
  on_replica(follow(at_primary(), port));
  on_replica("START REPLICA");
  db::Database database(at_primary());
  db::migrate(database);
  wait_for_replica();
}

ServerPair& ServerPair::instance() {
  static ServerPair pair;
  return pair;
}

db::ConnectionSettings ServerPair::at(std::vector<base::ServerAddress> servers) const {
  db::ConnectionSettings settings;
  settings.servers = std::move(servers);
  settings.user = "app";
  settings.schema = "goldsmith";
  settings.logs_changes = true;
  return settings;
}

db::ConnectionSettings ServerPair::over_tcp(const std::string& host,
                                            base::DatabaseTls::Mode mode) const {
  db::ConnectionSettings settings = at({{"", host, port}});
  settings.tls.mode = mode;
  settings.tls.authorities = certificates.path("ca.pem");
  return settings;
}

void ServerPair::on_primary(const std::string& sql) const {
  db::Database(primary.settings()).run(sql);
}

void ServerPair::on_replica(const std::string& sql) const {
  db::Database(replica.settings()).run(sql);
}

void ServerPair::wait_for_replica() const {
  // What the replica repeats comes in order, and the change that comes last is known by its name.
  static int number = 0;
  const std::string schema = "last_change_" + std::to_string(++number);
  on_primary("CREATE DATABASE " + schema);
  db::Database there(replica.settings());
  wait_until([&] {
    try {
      there.run("USE " + schema);
      return true;
    } catch (const db::Error& error) {
      BOOST_TEST_MESSAGE("not yet: " << error.what());
      return false;
    }
  });
  on_primary("DROP DATABASE " + schema);
}

}  // namespace goldsmith::test
