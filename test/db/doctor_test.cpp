// What `goldsmith doctor` says about the database's servers, on a primary and its replica, and what
// else of the command depends on them.
#include <boost/test/unit_test.hpp>

#include <sstream>

#include "app/cli/run.hpp"
#include "db/access_store.hpp"
#include "test/db/server_pair.hpp"

namespace goldsmith::test {
namespace doctor {
namespace {

struct Host {
  ServerPair& pair = ServerPair::instance();
  base::TempDir folder;

  Host() {
    pair.on_primary("SET GLOBAL read_only = 0");
    pair.on_replica("SET GLOBAL read_only = 1");
    pair.on_replica("START REPLICA");
    pair.wait_for_replica();
  }

  // What the doctor, or another command, says on a host with these options, those of database.*
  // without their group.
  std::string findings(const std::vector<std::string>& options,
                       std::vector<std::string> words = {"doctor"}) const {
    const std::filesystem::path file = folder.path() / "goldsmith.conf";
    std::string text = "database.name = goldsmith\ndatabase.user = app\n";
    for (const char* const name : {"depot", "state", "toolchains", "archive_cache"}) {
      text += std::string(name) + " = " + (folder.path() / name).string() + "\n";
    }
    for (const std::string& option : options) {
      text += (option.starts_with("depot.") ? "" : "database.") + option + "\n";
    }
    base::write_atomically(file, text);
    std::ostringstream out;
    std::ostringstream err;
    words.insert(words.end(), {"--config", file.string()});
    cli::run(words, {out, err, false});
    return out.str() + err.str();
  }

  std::string primary() const { return pair.primary.address().socket; }
  std::string replica() const { return pair.replica.address().socket; }
};

bool has(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) BOOST_TEST_MESSAGE("no '" << part << "' in\n" << text);
  return found;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(doctor_of_databases, Host)

BOOST_AUTO_TEST_CASE(servers_and_replicas_that_are_well_are_named) {
  const std::string text =
      findings({"hosts = " + primary() + ", " + replica(), "read_hosts = " + replica()});
  BOOST_TEST(has(text, "  database: app is let in at " + primary()));
  BOOST_TEST(has(text, "  database: " + replica() + " is read-only, and is used once it is not"));
  BOOST_TEST(has(text, "  replica: " + replica() + " is up to date"));
  BOOST_TEST(has(text, "  clock: this host's and that of " + primary() + " agree"));
}

BOOST_AUTO_TEST_CASE(the_disk_of_a_server_is_known_if_a_socket_leads_to_it) {
  BOOST_TEST(has(findings({"socket = " + primary()}), "  database disk: /"));
  const std::string server = "localhost:" + std::to_string(pair.port);
  BOOST_TEST(has(findings({"hosts = " + server}),
                 "  database disk: that of " + server + " can't be seen from this host (/"));
}

BOOST_AUTO_TEST_CASE(a_server_that_is_down_is_a_warning_while_another_one_writes) {
  const std::string text = findings({"hosts = /nowhere/sock, " + primary()});
  BOOST_TEST(has(text, "! database: /nowhere/sock: "));
  BOOST_TEST(has(text, "  schema: up to date"));
}

BOOST_AUTO_TEST_CASE(a_database_that_is_read_only_is_named) {
  pair.on_primary("SET GLOBAL read_only = 1");
  const std::string text = findings({"socket = " + primary()});
  pair.on_primary("SET GLOBAL read_only = 0");
  BOOST_TEST(has(text, "! database: " + primary() + " is read-only: "));
}

BOOST_AUTO_TEST_CASE(a_certificate_that_is_not_good_is_named) {
  const std::string server = "hosts = localhost:" + std::to_string(pair.port);
  const std::string authority = "tls_ca = " + pair.certificates.path("ca.pem");
  BOOST_TEST(has(findings({server, "tls = verify", authority}), "TLS_"));
  const std::string text =
      findings({server, "tls = verify", "tls_ca = " + pair.certificates.path("other.pem")});
  BOOST_TEST(has(text, "! database: localhost:" + std::to_string(pair.port) + ": "));
  BOOST_TEST(has(text, "database.tls_ca must be the authority"));
}

BOOST_AUTO_TEST_CASE(a_key_that_everybody_reads_is_named) {
  const std::string key = pair.certificates.path("client.key");
  BOOST_TEST(has(findings({"socket = " + primary(), "tls_key = " + key}),
                 "! permissions: " + key + " can be read by more users than intended"));
  BOOST_TEST(has(findings({"socket = " + primary(), "tls_key = /none/at/all.key"}),
                 "! certificate: /none/at/all.key is not there"));
}

BOOST_AUTO_TEST_CASE(certificates_of_the_hosts_that_share_depots_are_examined) {
  const std::string certificate = pair.certificates.path("client.pem");
  const std::string key = pair.certificates.path("client.key");
  const std::string bad = findings({"socket = " + primary(), "depot.tls_certificate = " + key,
                                    "depot.tls_key = " + key, "depot.allow_ca = /none/ca.pem"});
  BOOST_TEST(has(bad, "! certificate: " + key +
                          " can't be read\n    name a readable one in "
                          "depot.tls_certificate\n"));
  BOOST_TEST(has(bad, "! permissions: " + key +
                          " can be read by more users than intended\n"
                          "    chmod 600 " +
                          key));
  BOOST_TEST(has(bad, "! certificate: /none/ca.pem can't be read"));
  const std::string half =
      findings({"socket = " + primary(), "depot.tls_certificate = " + certificate});
  BOOST_TEST(has(half, "  certificate: " + certificate + " lasts for 10 days and more"));
  BOOST_TEST(has(half, "! certificate: depot.tls_certificate has no key"));
}

BOOST_AUTO_TEST_CASE(a_certificate_of_six_days_is_named_in_its_last_two) {
  const std::string certificate = folder.path() / "six.pem";
  const std::string key = folder.path() / "six.key";
  const std::string make =
      "openssl req -x509 -newkey ed25519 -nodes -days 6 -subj /CN=six -keyout " + key + " -out " +
      certificate + " 2>/dev/null";
  BOOST_REQUIRE(std::system(make.c_str()) == 0);
  const std::vector<std::string> options{
      "socket = " + primary(), "depot.tls_certificate = " + certificate, "depot.tls_key = " + key};
  BOOST_TEST(
      has(findings(options), "  certificate: " + certificate + " lasts for 2 days and more"));
}

BOOST_AUTO_TEST_CASE(a_replica_that_stopped_is_named) {
  pair.on_replica("STOP REPLICA");
  db::Database database(pair.at_primary());
  db::SettingStore(database).set("builds_per_hour", "77");
  const std::string text = findings({"socket = " + primary(), "read_hosts = " + replica()});
  BOOST_TEST(has(text, "! replica: " + replica() + " is behind: it has revision "));
}

BOOST_AUTO_TEST_CASE(a_clock_that_differs_by_an_hour_is_named) {
  pair.on_primary(
      "SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP(SYSDATE() - INTERVAL 1 HOUR)'");
  const std::string text = findings({"socket = " + primary()});
  pair.on_primary("SET GLOBAL init_connect = ''");
  const bool is_named = text.find("! clock: it is 3600 s away from that of ") != text.npos ||
                        text.find("! clock: it is 3601 s away from that of ") != text.npos;
  BOOST_TEST(is_named, text);
}

// Two downloads, of 364 and 366 days ago.
BOOST_AUTO_TEST_CASE(
    the_log_is_pruned_by_the_clock_of_the_database_unless_that_of_the_host_differs) {
  pair.on_primary(
      "INSERT INTO goldsmith.download_log (time, slug, version, kind, toolchain, caller, result,"
      " compile_milliseconds) SELECT UTC_TIMESTAMP() - INTERVAL seq DAY, seq, '1', 'sma', '', '',"
      " 'ok', 0 FROM (SELECT 364 AS seq UNION SELECT 366) AS days");
  const auto prune_at = [&](const std::string& offset) {
    pair.on_primary(
        "SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP(SYSDATE() + INTERVAL " + offset +
        ")'");
    const std::string text = findings({"socket = " + primary()}, {"log", "prune"});
    pair.on_primary("SET GLOBAL init_connect = ''");
    return text;
  };
  for (const char* offset : {"2 DAY", "6 MINUTE", "-6 MINUTE"}) {
    const std::string text = prune_at(offset);
    BOOST_TEST(has(text, "by that of the database server: nothing was pruned"), text);
    BOOST_TEST(has(text, "timedatectl"), text);
  }
  db::Database database(pair.at_primary());
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM goldsmith.download_log") == "2");
  const std::string text = prune_at("4 MINUTE");
  BOOST_TEST(has(text, "removed 1 downloads older than "), text);
  BOOST_TEST(ask(database, "SELECT GROUP_CONCAT(slug) FROM goldsmith.download_log") == "364");
  pair.on_primary("DELETE FROM goldsmith.download_log");
}

BOOST_AUTO_TEST_CASE(a_table_that_somebody_converted_is_named_with_the_remedy) {
  const std::string convert = "ALTER TABLE goldsmith.settings CONVERT TO CHARACTER SET utf8mb4";
  pair.on_primary(convert + " COLLATE utf8mb4_general_ci");
  const std::string text = findings({"socket = " + primary()});
  pair.on_primary(convert + " COLLATE utf8mb4_bin");
  BOOST_TEST(has(text, "the column settings.name has the collation utf8mb4_general_ci"), text);
  BOOST_TEST(has(text, "ALTER TABLE settings CONVERT TO CHARACTER SET utf8mb4"), text);
}

BOOST_AUTO_TEST_CASE(a_schema_that_is_newer_is_named) {
  pair.on_primary(
      "INSERT INTO goldsmith.schema_migrations VALUES (9999, 'later', 'x', UTC_TIMESTAMP())");
  const std::string text = findings({"socket = " + primary()});
  pair.on_primary("DELETE FROM goldsmith.schema_migrations WHERE number = 9999");
  BOOST_TEST(has(text, "! schema: it is newer than this program"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace doctor
}  // namespace goldsmith::test
