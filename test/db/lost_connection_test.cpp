#include <boost/test/unit_test.hpp>

#include <thread>

#include "test/db/builders.hpp"
#include "test/support/own_server.hpp"

using goldsmith::db::Database;
using goldsmith::db::Error;
using goldsmith::test::ask;
using goldsmith::test::ErrorOfKind;
using goldsmith::test::OwnServer;

namespace {

std::string session(Database& database) { return ask(database, "SELECT CONNECTION_ID()"); }

struct Sessions {
  goldsmith::test::TestDatabase test_database{goldsmith::test::TestDatabase::Schema::empty};
  Database database{test_database.settings()};
  Database other{test_database.settings()};

  Sessions() { other.run("CREATE TABLE t (word VARCHAR(8)) ENGINE=InnoDB"); }

  // Ends the session on the server, and waits until it is gone.
  void kill(const std::string& id) {
    try {
      other.run("KILL " + id);
    } catch (const Error& error) {
      BOOST_TEST_MESSAGE("gone already: " << error.what());
    }
    const std::string sql = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = " + id;
    while (ask(other, sql) != "0") std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lost_connection, Sessions)

BOOST_AUTO_TEST_CASE(a_killed_session_is_replaced_and_the_caller_sees_nothing) {
  const std::string sql = "SELECT COUNT(*) FROM t WHERE word <> ?";
  database.query(sql, {"x"});  // prepared in the old session
  const std::string before = session(database);
  kill(before);
  const auto rows = database.query(sql, {"x"});
  BOOST_REQUIRE(rows->next());
  BOOST_TEST(rows->integer(1) == 0);
  BOOST_TEST(session(database) != before);
  BOOST_TEST(ask(database, "SELECT @@time_zone") == "+00:00");
}

BOOST_AUTO_TEST_CASE(plain_statements_and_the_start_of_a_transaction_survive_a_killed_session) {
  kill(session(database));
  database.run("INSERT INTO t VALUES ('a')");
  kill(session(database));
  database.transaction([&] { database.run("INSERT INTO t VALUES ('b')"); });
  kill(session(database));
  BOOST_TEST(database.execute("INSERT INTO t VALUES (?)", {"c"}) == 1U);
  BOOST_TEST(ask(other, "SELECT COUNT(*) FROM t") == "3");
}

BOOST_AUTO_TEST_CASE(a_statement_that_must_not_run_twice_is_not_repeated) {
  const std::string_view sql = "INSERT INTO t VALUES (?)";
  kill(session(database));
  BOOST_CHECK_EXCEPTION(database.execute_once(sql, {"a"}), Error,
                        ErrorOfKind{Error::Kind::unavailable});
  BOOST_TEST(database.execute_once(sql, {"b"}) == 1U);
  BOOST_TEST(ask(other, "SELECT COUNT(*) FROM t") == "1");
}

BOOST_AUTO_TEST_CASE(a_session_killed_inside_a_transaction_undoes_it) {
  const auto work = [&] {
    database.run("INSERT INTO t VALUES ('a')");
    kill(session(database));
    database.run("INSERT INTO t VALUES ('b')");
  };
  BOOST_CHECK_EXCEPTION(database.transaction(work), Error, ErrorOfKind{Error::Kind::unavailable});
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "0");
}

BOOST_AUTO_TEST_CASE(a_transaction_that_swallows_the_loss_commits_nothing_either) {
  const auto work = [&] {
    database.run("INSERT INTO t VALUES ('a')");
    kill(session(database));
    BOOST_CHECK_THROW(database.run("INSERT INTO t VALUES ('b')"), Error);
    BOOST_CHECK_THROW(database.run("INSERT INTO t VALUES ('c')"), Error);
  };
  BOOST_CHECK_EXCEPTION(database.transaction(work), Error, ErrorOfKind{Error::Kind::unavailable});
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "0");
}

BOOST_AUTO_TEST_CASE(a_session_killed_before_the_commit_undoes_the_transaction) {
  const auto work = [&] {
    database.run("INSERT INTO t VALUES ('a')");
    kill(session(database));
  };
  BOOST_CHECK_EXCEPTION(database.transaction(work), Error, ErrorOfKind{Error::Kind::unavailable});
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "0");
}

BOOST_AUTO_TEST_CASE(a_repeated_transaction_that_was_lost_before_its_commit_is_done_again) {
  int runs = 0;
  database.repeated_transaction([&] {
    database.run("INSERT INTO t VALUES ('a')");
    if (++runs == 1) kill(session(database));
    database.run("INSERT INTO t VALUES ('b')");
  });
  BOOST_TEST(runs == 2);
  BOOST_TEST(ask(database, "SELECT GROUP_CONCAT(word ORDER BY word) FROM t") == "a,b");
}

BOOST_AUTO_TEST_CASE(a_repeated_transaction_that_is_lost_each_time_fails) {
  int runs = 0;
  const auto work = [&] {
    ++runs;
    kill(session(database));
    database.run("INSERT INTO t VALUES ('a')");
  };
  BOOST_CHECK_EXCEPTION(database.repeated_transaction(work), Error,
                        ErrorOfKind{Error::Kind::unavailable});
  BOOST_TEST(runs == 2);
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "0");
}

// The server may have committed: nobody knows.
BOOST_AUTO_TEST_CASE(a_repeated_transaction_that_is_lost_in_its_commit_is_not_done_again) {
  int runs = 0;
  const auto work = [&] {
    ++runs;
    database.run("INSERT INTO t VALUES ('a')");
    kill(session(database));
  };
  BOOST_CHECK_EXCEPTION(database.repeated_transaction(work), Error,
                        ErrorOfKind{Error::Kind::unavailable});
  BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(an_idempotent_transaction_that_is_lost_in_its_commit_is_done_again) {
  other.run("CREATE TABLE once (id INT PRIMARY KEY) ENGINE=InnoDB");
  for (const bool was_committed : {false, true}) {
    other.run("DELETE FROM once");
    std::vector<std::uint64_t> changed;
    database.idempotent_transaction([&] {
      changed.push_back(database.execute("INSERT IGNORE INTO once VALUES (1)"));
      if (changed.size() > 1) return;
      kill(session(database));
      if (was_committed) other.run("INSERT INTO once VALUES (1)");  // as if the answer was lost
    });
    const std::vector<std::uint64_t> expected = {1U, was_committed ? 0U : 1U};
    BOOST_TEST(changed == expected);
    BOOST_TEST(ask(other, "SELECT COUNT(*) FROM once") == "1");
  }
}

BOOST_AUTO_TEST_CASE(an_idempotent_transaction_that_is_lost_each_time_fails) {
  int runs = 0;
  const auto work = [&] {
    ++runs;
    database.run("INSERT INTO t VALUES ('a')");
    kill(session(database));
  };
  BOOST_CHECK_EXCEPTION(database.idempotent_transaction(work), Error,
                        ErrorOfKind{Error::Kind::unavailable});
  BOOST_TEST(runs == 2);
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "0");
}

BOOST_AUTO_TEST_CASE(a_statement_that_outlasts_the_read_timeout_is_not_repeated) {
  auto settings = test_database.settings();
  settings.read_timeout = std::chrono::seconds(1);
  Database impatient(settings);
  impatient.query("SELECT 1");
  const std::string id = session(impatient);
  BOOST_CHECK_EXCEPTION(impatient.query("SELECT SLEEP(60)"), Error,
                        ErrorOfKind{Error::Kind::timeout});
  // The server has not noticed yet that nobody waits.
  BOOST_TEST(ask(other,
                 "SELECT COUNT(*) FROM information_schema.PROCESSLIST"
                 " WHERE DB = DATABASE() AND INFO = 'SELECT SLEEP(60)'") == "1");
  BOOST_TEST(ask(impatient, "SELECT 1") == "1");
  kill(id);
}

BOOST_AUTO_TEST_CASE(the_first_statement_of_a_connection_can_time_out_too) {
  auto settings = test_database.settings();
  settings.read_timeout = std::chrono::seconds(1);
  Database impatient(settings);
  BOOST_CHECK_EXCEPTION(impatient.query("SELECT SLEEP(60)"), Error,
                        (ErrorOfKind{Error::Kind::timeout, "no answer within 1 seconds"}));
}

BOOST_AUTO_TEST_CASE(a_stopped_server_is_unavailable_and_its_return_is_enough) {
  const OwnServer server;
  Database client(server.settings());
  const std::string sql = "SELECT ? + 1";
  BOOST_TEST(ask(client, "SELECT 1") == "1");
  client.query(sql, {1});
  server.stop();
  for (int tries = 0; tries < 3; ++tries) {
    BOOST_CHECK_EXCEPTION(client.query(sql, {1}), Error, ErrorOfKind{Error::Kind::unavailable});
  }
  BOOST_CHECK_EXCEPTION(client.transaction([] {}), Error, ErrorOfKind{Error::Kind::unavailable});
  server.start();
  const auto rows = client.query(sql, {1});
  BOOST_REQUIRE(rows->next());
  BOOST_TEST(rows->integer(1) == 2);
}

BOOST_AUTO_TEST_CASE(a_server_that_was_restarted_meanwhile_goes_unnoticed) {
  const OwnServer server;
  Database client(server.settings());
  BOOST_TEST(ask(client, "SELECT 1") == "1");
  server.stop();
  server.start();
  BOOST_TEST(ask(client, "SELECT 1") == "1");
}

BOOST_AUTO_TEST_SUITE_END()
