// Several servers, replicas and TLS (decisions O6, O7), on a primary and its replica.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>
#include <thread>

#include "db/access_store.hpp"
#include "test/db/server_pair.hpp"
#include "test/support/captured_log.hpp"

namespace goldsmith::test {
namespace servers {
namespace {

using db::Database;
using db::Error;
using Mode = base::DatabaseTls::Mode;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

class Stopwatch {
 public:
  std::chrono::steady_clock::duration elapsed() const {
    return std::chrono::steady_clock::now() - begin_;
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Frozen {
 public:
  explicit Frozen(const OwnServer& server) : server_(server) { server_.freeze(); }
  ~Frozen() { end(); }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;
  void end() const { server_.thaw(); }

 private:
  const OwnServer& server_;
};

struct Pair {
  ServerPair& pair = ServerPair::instance();

  Pair() {
    pair.on_primary("SET GLOBAL read_only = 0");
    pair.on_replica("SET GLOBAL read_only = 1");
    pair.on_replica("START REPLICA");
    pair.on_primary("DROP TABLE IF EXISTS goldsmith.t");
    pair.on_primary("CREATE TABLE goldsmith.t (word VARCHAR(8)) ENGINE=InnoDB");
    pair.wait_for_replica();
  }

  std::string id_of(Database& database) { return ask(database, "SELECT @@server_id"); }

  // The second server takes over after a second; it can be written to.
  db::ConnectionSettings with_short_patience(db::ConnectionSettings settings) {
    pair.on_replica("SET GLOBAL read_only = 0");
    settings.read_timeout = std::chrono::seconds(1);
    return settings;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tls, Pair)

BOOST_AUTO_TEST_CASE(a_connection_is_encrypted_where_that_is_required) {
  Database required(pair.over_tcp("127.0.0.1", Mode::required));
  BOOST_TEST(required.report().cipher.starts_with("TLS_"), required.report().cipher);
  BOOST_TEST(ask(required, "SELECT 1") == "1");
}

BOOST_AUTO_TEST_CASE(a_server_is_verified_by_its_authority_and_its_name) {
  BOOST_TEST(Database(pair.over_tcp("localhost", Mode::verify)).report().cipher != "");
  // An address that is not in the certificate. Newer libraries verify no name at 127.0.0.1.
  BOOST_CHECK_EXCEPTION(Database(pair.over_tcp("127.1", Mode::verify)).report(), Error,
                        ErrorOfKind{Error::Kind::untrusted});
  auto others = pair.over_tcp("localhost", Mode::verify);
  others.tls.authorities = pair.certificates.path("other.pem");
  BOOST_CHECK_EXCEPTION(Database(others).report(), Error, ErrorOfKind{Error::Kind::untrusted});
  others.tls.authorities = "/nonexistent/ca.pem";
  BOOST_CHECK_EXCEPTION(Database(others).report(), Error, ErrorOfKind{Error::Kind::untrusted});
}

BOOST_AUTO_TEST_CASE(an_account_can_demand_a_certificate) {
  pair.on_primary("CREATE USER holder REQUIRE X509");
  auto settings = pair.over_tcp("localhost", Mode::verify);
  settings.user = "holder";
  settings.schema = "";
  BOOST_CHECK_EXCEPTION(Database(settings).report(), Error, ErrorOfKind{Error::Kind::denied});
  settings.tls.certificate = pair.certificates.path("client.pem");
  settings.tls.key = pair.certificates.path("client.key");
  BOOST_TEST(Database(settings).report().cipher != "");
}

BOOST_AUTO_TEST_CASE(a_server_that_demands_tls_refuses_a_connection_without) {
  Database root(pair.primary.settings());
  const bool is_maria = is_mariadb(root);
  pair.on_primary("SET GLOBAL require_secure_transport = 1");
  BOOST_CHECK_EXCEPTION(Database(pair.over_tcp("127.0.0.1", Mode::off)).report(), Error,
                        [is_maria](const Error& error) {
                          // MariaDB 10.11 says no more than that access is denied.
                          return error.kind() == Error::Kind::untrusted ||
                                 (is_maria && error.kind() == Error::Kind::denied);
                        });
  pair.on_primary("SET GLOBAL require_secure_transport = 0");
}

BOOST_AUTO_TEST_CASE(a_server_without_tls_is_refused) {
  auto settings = pair.over_tcp("127.0.0.1", Mode::required);
  settings.servers.front().port = pair.replica_port;
  BOOST_CHECK_EXCEPTION(Database(settings).report(), Error, ErrorOfKind{Error::Kind::untrusted});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(several_servers, Pair)

BOOST_AUTO_TEST_CASE(the_first_that_writes_is_used) {
  Database database(pair.at_both());
  BOOST_TEST(id_of(database) == "1");
  Database other_order(pair.at({pair.replica.address(), pair.primary.address()}));
  BOOST_TEST(id_of(other_order) == "1");
  BOOST_TEST(other_order.execute("INSERT INTO t VALUES (?)", {"a"}) == 1U);
}

BOOST_AUTO_TEST_CASE(a_stopped_server_is_passed_over_and_used_again_once_it_has_settled) {
  pair.on_replica("SET GLOBAL read_only = 0");
  const CapturedLog log;
  Database database(pair.at_both());
  BOOST_TEST(id_of(database) == "1");
  pair.primary.stop();
  BOOST_TEST(id_of(database) == "2");
  for (int tries = 0; tries < 100; ++tries) BOOST_TEST(id_of(database) == "2");
  pair.primary.start();
  // New connections ask the first server again once the pause after its failure is over.
  const Stopwatch back;
  while (back.elapsed() < std::chrono::milliseconds(2500)) {
    pair.on_replica("KILL " + ask(database, "SELECT CONNECTION_ID()"));
    BOOST_TEST(id_of(database) == "2");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  wait_until([&] { return id_of(database) == "1"; });
  BOOST_TEST(count(log.text(), "the database server can't be used") == 1U);
  BOOST_TEST(count(log.text(), "the database server can be used again") == 1U);
  // Where no other is left, it need not settle.
  pair.primary.stop();
  pair.primary.start();
  pair.replica.stop();
  BOOST_TEST(id_of(database) == "1");
  pair.replica.start();
}

BOOST_AUTO_TEST_CASE(a_server_that_does_not_answer_costs_no_statement_any_time) {
  // The kernel lets connections in, and nobody greets them.
  const Listening mute;
  auto settings = pair.at({{"", "127.0.0.1", mute.port()}, pair.primary.address()});
  settings.connect_timeout = std::chrono::seconds(1);
  Database database(settings);
  const auto begin = std::chrono::steady_clock::now();
  BOOST_TEST(id_of(database) == "1");
  const auto connected = std::chrono::steady_clock::now();
  BOOST_TEST((connected - begin < std::chrono::seconds(3)));
  std::chrono::steady_clock::duration longest{};
  while (std::chrono::steady_clock::now() - connected < std::chrono::milliseconds(1500)) {
    const auto before = std::chrono::steady_clock::now();
    BOOST_TEST(id_of(database) == "1");
    longest = std::max(longest, std::chrono::steady_clock::now() - before);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  BOOST_TEST((longest < std::chrono::milliseconds(500)));
}

BOOST_AUTO_TEST_CASE(a_frozen_server_costs_one_time_out_and_the_statement_goes_to_the_next) {
  const auto settings =
      with_short_patience(pair.at({{"", "127.0.0.1", pair.port}, pair.replica.address()}));
  const CapturedLog log;
  Database database(settings);
  Database fresh(settings);
  BOOST_TEST(id_of(database) == "1");
  const Frozen frozen(pair.primary);
  const Stopwatch first;
  BOOST_TEST(id_of(database) == "2");
  BOOST_TEST((first.elapsed() >= std::chrono::seconds(1)));
  BOOST_TEST((first.elapsed() < std::chrono::milliseconds(2000)));
  const Stopwatch others;
  while (others.elapsed() < std::chrono::milliseconds(1500)) {
    const Stopwatch each;
    BOOST_TEST(id_of(database) == "2");
    BOOST_TEST((each.elapsed() < std::chrono::milliseconds(500)));
  }
  frozen.end();
  wait_until([&] { return id_of(database) == "1"; });
  BOOST_TEST(count(log.text(), "no answer within 1 seconds") == 1U);
  BOOST_TEST(count(log.text(), "the database server can be used again") == 1U);
}

BOOST_AUTO_TEST_CASE(a_frozen_server_fails_a_transaction_and_the_next_one_moves_on) {
  Database database(with_short_patience(pair.at_both()));
  BOOST_TEST(id_of(database) == "1");
  const auto work = [&] { database.execute("INSERT INTO t VALUES (?)", {"f"}); };
  const auto freeze_and_work = [&] {
    BOOST_TEST(id_of(database) == "1");
    const Frozen frozen(pair.primary);
    work();
  };
  BOOST_CHECK_EXCEPTION(database.transaction(freeze_and_work), Error,
                        ErrorOfKind{Error::Kind::unavailable});
  const Frozen frozen(pair.primary);
  const Stopwatch next;
  database.transaction(work);
  BOOST_TEST((next.elapsed() < std::chrono::milliseconds(1000)));
  BOOST_TEST(id_of(database) == "2");
  pair.on_replica("DELETE FROM goldsmith.t");
}

BOOST_AUTO_TEST_CASE(a_slow_statement_of_a_server_that_is_alive_is_not_repeated_elsewhere) {
  Database database(with_short_patience(pair.at_both()));
  BOOST_TEST(id_of(database) == "1");
  BOOST_CHECK_EXCEPTION(database.query("SELECT SLEEP(3)"), Error,
                        ErrorOfKind{Error::Kind::timeout});
  BOOST_TEST(id_of(database) == "1");
}

BOOST_AUTO_TEST_CASE(an_idle_connection_over_tcp_is_opened_again) {
  auto settings = pair.over_tcp("127.0.0.1", Mode::off);
  settings.longest_idle = std::chrono::milliseconds(300);
  Database database(settings);
  const std::string first = ask(database, "SELECT CONNECTION_ID()");
  BOOST_TEST(ask(database, "SELECT CONNECTION_ID()") == first);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  BOOST_TEST(ask(database, "SELECT CONNECTION_ID()") != first);
  // Inside a transaction it stays.
  database.transaction([&] {
    const std::string own = ask(database, "SELECT CONNECTION_ID()");
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    BOOST_TEST(ask(database, "SELECT CONNECTION_ID()") == own);
  });
}

BOOST_AUTO_TEST_CASE(clocks_that_differ_are_logged_once_and_when_they_agree_again) {
  const CapturedLog log;
  Database database(pair.at_primary());
  const auto reconnect = [&] {
    pair.on_primary("KILL " + ask(database, "SELECT CONNECTION_ID()"));
    ask(database, "SELECT 1");
  };
  BOOST_TEST(count(log.text(), "clocks") == 0U);
  pair.on_primary(
      "SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP(SYSDATE() + INTERVAL 1 HOUR)'");
  reconnect();
  reconnect();
  BOOST_TEST(count(log.text(), "of the database server differ") == 1U);
  BOOST_TEST((count(log.text(), "seconds=3600") + count(log.text(), "seconds=3601") +
              count(log.text(), "seconds=3599")) == 1U);
  pair.on_primary("SET GLOBAL init_connect = ''");
  reconnect();
  BOOST_TEST(count(log.text(), "of the database server agree again") == 1U);
}

BOOST_AUTO_TEST_CASE(a_write_that_is_refused_moves_on_to_the_next) {
  Database database(pair.at_both());
  BOOST_TEST(id_of(database) == "1");
  pair.on_replica("SET GLOBAL read_only = 0");
  pair.on_primary("SET GLOBAL read_only = 1");
  const CapturedLog log;
  BOOST_TEST(database.execute_once("INSERT INTO t VALUES (?)", {"b"}) == 1U);
  BOOST_TEST(id_of(database) == "2");
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t WHERE word = 'b'") == "1");
  pair.on_replica("DELETE FROM goldsmith.t");
  pair.on_replica("SET GLOBAL read_only = 1");
  pair.on_primary("SET GLOBAL read_only = 0");
  wait_until([&] {
    try {
      database.execute("INSERT INTO t VALUES (?)", {"c"});
      return id_of(database) == "1";
    } catch (const Error&) {
      return false;
    }
  });
  BOOST_TEST(count(log.text(), "the database server is read-only") == 2U);
}

BOOST_AUTO_TEST_CASE(a_refused_write_inside_a_transaction_undoes_it_and_the_next_one_moves_on) {
  Database database(pair.at_both());
  BOOST_TEST(id_of(database) == "1");
  pair.on_replica("SET GLOBAL read_only = 0");
  pair.on_primary("SET GLOBAL read_only = 1");
  const auto work = [&] { database.execute("INSERT INTO t VALUES (?)", {"d"}); };
  BOOST_CHECK_EXCEPTION(database.transaction(work), Error, ErrorOfKind{Error::Kind::unavailable});
  database.transaction(work);
  BOOST_TEST(id_of(database) == "2");
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t WHERE word = 'd'") == "1");
  pair.on_replica("DELETE FROM goldsmith.t");
}

BOOST_AUTO_TEST_CASE(servers_that_are_all_read_only_are_read) {
  pair.on_primary("SET GLOBAL read_only = 1");
  const CapturedLog log;
  for (const auto& settings : {pair.at_both(), pair.at_primary()}) {
    Database database(settings);
    BOOST_TEST(id_of(database) == "1");
    BOOST_CHECK_EXCEPTION(database.execute("INSERT INTO t VALUES (?)", {"e"}), Error,
                          ErrorOfKind{Error::Kind::unavailable});
    BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "0");
  }
  pair.on_primary("SET GLOBAL read_only = 0");
}

BOOST_AUTO_TEST_CASE(no_server_at_all_is_unavailable_and_all_are_named) {
  Database database(pair.at({{"/nowhere/first"}, {"/nowhere/second"}}));
  BOOST_CHECK_EXCEPTION(database.query("SELECT 1"), Error,
                        (ErrorOfKind{Error::Kind::unavailable, "/nowhere/first"}));
  BOOST_CHECK_EXCEPTION(database.query("SELECT 1"), Error,
                        (ErrorOfKind{Error::Kind::unavailable, "/nowhere/second"}));
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct Replicated : Pair {
  Database primary{pair.at_primary()};
  Database reads{pair.at({pair.replica.address()}), primary};

  void change() {
    static int number = 100;
    db::SettingStore store(primary);
    store.set("anonymous_per_minute", std::to_string(++number));
    db::read_progress(primary);
  }
  bool reads_replica() { return id_of(reads) == "2"; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(replicas, Replicated)

BOOST_AUTO_TEST_CASE(a_replica_is_read_and_the_primary_written) {
  BOOST_TEST(reads_replica());
  BOOST_TEST(id_of(primary) == "1");
  BOOST_TEST(reads.execute("INSERT INTO t VALUES (?)", {"a"}) == 1U);
  reads.transaction([&] { BOOST_TEST(id_of(reads) == "1"); });
  primary.transaction([&] { BOOST_TEST(id_of(reads) == "1"); });
  reads.read([&] {
    BOOST_TEST(id_of(reads) == "2");
    BOOST_TEST(reads.in_transaction());
  });
}

BOOST_AUTO_TEST_CASE(a_replica_that_lacks_what_the_host_has_seen_is_not_read) {
  BOOST_TEST(reads_replica());
  pair.on_replica("STOP REPLICA");
  BOOST_TEST(reads_replica());  // nothing is newer
  change();
  BOOST_TEST(!reads_replica());
  reads.read([&] { BOOST_TEST(id_of(reads) == "1"); });
  pair.on_replica("START REPLICA");
  wait_until([&] { return reads_replica(); });
}

BOOST_AUTO_TEST_CASE(a_replica_that_stopped_is_noticed_by_the_next_download) {
  BOOST_TEST(reads_replica());
  pair.on_replica("STOP REPLICA");
  pair.on_primary(
      "INSERT INTO goldsmith.download_log (time, slug, version, kind, toolchain, caller, result,"
      " compile_milliseconds) VALUES (UTC_TIMESTAMP(), 'a', '1', 'sma', '', '', 'ok', 0)");
  db::read_progress(primary);
  BOOST_TEST(!reads_replica());
}

BOOST_AUTO_TEST_CASE(what_is_behind_for_long_is_logged_once) {
  const CapturedLog log;
  pair.on_replica("STOP REPLICA");
  change();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3500);
  while (std::chrono::steady_clock::now() < end) {
    BOOST_TEST(!reads_replica());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  BOOST_TEST(count(log.text(), "the replica is behind and is not read") == 1U);
}

BOOST_AUTO_TEST_CASE(without_its_replica_the_primary_answers) {
  BOOST_TEST(reads_replica());
  pair.replica.stop();
  BOOST_TEST(id_of(reads) == "1");
  BOOST_TEST(ask(reads, "SELECT COUNT(*) FROM t") == "0");
  pair.replica.start();
  wait_until([&] { return reads_replica(); });
}

BOOST_AUTO_TEST_CASE(a_frozen_replica_costs_one_time_out_and_the_primary_answers) {
  auto settings = pair.at({pair.replica.address()});
  settings.read_timeout = std::chrono::seconds(1);
  Database hasty(settings, primary);
  BOOST_TEST(id_of(hasty) == "2");
  const Frozen frozen(pair.replica);
  const Stopwatch first;
  BOOST_TEST(id_of(hasty) == "1");
  BOOST_TEST((first.elapsed() < std::chrono::milliseconds(2000)));
  const Stopwatch others;
  int slow = 0;
  while (others.elapsed() < std::chrono::milliseconds(2500)) {
    const Stopwatch each;
    BOOST_TEST(id_of(hasty) == "1");
    if (each.elapsed() > std::chrono::milliseconds(settings.read_timeout) / 2) ++slow;
  }
  BOOST_TEST(slow <= 1);
  frozen.end();
  wait_until([&] { return id_of(hasty) == "2"; });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace servers
}  // namespace goldsmith::test
