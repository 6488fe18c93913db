// The same promises of both backends: shared memory of one host, and the database of several.
#include "app/limits/rate_windows.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "app/base/file.hpp"
#include "app/limits/gate.hpp"
#include "test/db/builders.hpp"
#include "test/support/numbers.hpp"

using namespace goldsmith;
using limits::Window;

namespace {

constexpr std::int64_t kNoon = 1'800'000'000 / 86'400 * 86'400 + 43'200;

struct InMemory {
  base::TempDir folder;
  limits::SharedState state{folder.path() / "state", limits::SharedState::Open::create};
  limits::MemoryWindows windows{state};
};

struct InDatabase : test::DatabaseFixture {
  db::WindowStore store{database};
  limits::DatabaseWindows windows{store, limits::DatabaseWindows::Time::host};
};

// Statements that the session has sent to the server, this one included.
std::int64_t statements(db::Database& database) {
  return test::session_status(database, "Questions");
}

struct SteppedClock final : base::Clock {
  std::chrono::system_clock::time_point time{std::chrono::seconds(kNoon)};
  std::chrono::system_clock::time_point now() const override { return time; }
};

// A worker, before any endpoint.
struct Door : InDatabase {
  Door() {
    settings.set("anonymous_per_minute", "3");
    settings.set("anonymous_per_day", "5");
  }

  base::TempDir folder;
  limits::SharedState state{folder.path() / "state", limits::SharedState::Open::create};
  SteppedClock clock;
  limits::Freshness freshness{state, database, clock};
  db::SettingStore settings{database};
  db::KeyStore keys{database};
  limits::Gate gate{{freshness, settings, keys, windows, clock}};

  limits::GateDecision knock(const std::string& address = "192.0.2.1") {
    return gate.admit(address, std::nullopt);
  }
  // How many seconds it has to wait; 0 = it may pass.
  std::int64_t wait() {
    const auto refusal = knock().refusal;
    return refusal ? refusal->refusal->wait.count() : 0;
  }
};

using Backends = boost::mpl::list<InMemory, InDatabase>;

}  // namespace

BOOST_AUTO_TEST_SUITE(rate_windows)

BOOST_AUTO_TEST_CASE_TEMPLATE(a_limit_grants_exactly_as_many_as_it_says, Backend, Backends) {
  Backend backend;
  for (int i = 1; i <= 3; ++i) {
    const auto status = backend.windows.take("a", Window::minute, 3, kNoon + 15);
    BOOST_TEST(status.granted);
    BOOST_TEST(status.remaining() == 3 - i);
    BOOST_TEST(status.seconds_left == 45);
  }
  const auto refused = backend.windows.take("a", Window::minute, 3, kNoon + 16);
  BOOST_TEST(!refused.granted);
  BOOST_TEST(refused.remaining() == 0);
  BOOST_TEST(backend.windows.take("b", Window::minute, 3, kNoon + 16).granted);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(windows_of_other_lengths_are_other_buckets, Backend, Backends) {
  Backend backend;
  BOOST_TEST(backend.windows.take("a", Window::minute, 1, kNoon).granted);
  BOOST_TEST(backend.windows.take("a", Window::hour, 1, kNoon).granted);
  BOOST_TEST(backend.windows.take("a", Window::day, 1, kNoon).granted);
  BOOST_TEST(!backend.windows.take("a", Window::day, 1, kNoon + 7200).granted);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_next_window_starts_empty, Backend, Backends) {
  Backend backend;
  BOOST_TEST(backend.windows.take("a", Window::minute, 1, kNoon + 59).granted);
  BOOST_TEST(!backend.windows.take("a", Window::minute, 1, kNoon + 59).granted);
  BOOST_TEST(backend.windows.take("a", Window::minute, 1, kNoon + 60).granted);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(looking_counts_nothing, Backend, Backends) {
  Backend backend;
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(backend.windows.peek("a", Window::hour, 1, kNoon).granted);
  }
  BOOST_TEST(backend.windows.take("a", Window::hour, 1, kNoon).granted);
  BOOST_TEST(!backend.windows.peek("a", Window::hour, 1, kNoon).granted);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_limit_of_zero_grants_nothing, Backend, Backends) {
  Backend backend;
  BOOST_TEST(!backend.windows.take("a", Window::minute, 0, kNoon).granted);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_lowered_limit_counts_at_once, Backend, Backends) {
  Backend backend;
  for (int i = 0; i < 5; ++i) backend.windows.take("a", Window::minute, 10, kNoon);
  BOOST_TEST(!backend.windows.take("a", Window::minute, 5, kNoon).granted);
  BOOST_TEST(backend.windows.take("a", Window::minute, 6, kNoon).granted);
}

BOOST_AUTO_TEST_CASE(hosts_that_count_at_once_grant_nothing_twice) {
  test::TestDatabase shared;
  std::vector<pid_t> hosts;
  for (int i = 0; i < 3; ++i) {
    const pid_t host = fork();
    if (host == 0) {
      db::Database database(shared.settings());
      db::WindowStore store(database);
      int granted = 0;
      for (int n = 0; n < 40; ++n) granted += store.take("a", 60, kNoon + 60, 100).granted;
      _exit(granted);
    }
    hosts.push_back(host);
  }
  int granted = 0;
  for (const pid_t host : hosts) {
    int status = 0;
    waitpid(host, &status, 0);
    BOOST_REQUIRE(WIFEXITED(status));
    granted += WEXITSTATUS(status);
  }
  BOOST_TEST(granted == 100);
}

BOOST_AUTO_TEST_CASE(hosts_whose_clocks_differ_by_an_hour_count_in_the_same_windows) {
  test::TestDatabase shared;
  db::Database database(shared.settings());
  db::Database other_database(shared.settings());
  for (db::Database* each : {&database, &other_database}) {
    each->run("SET timestamp = " + std::to_string(kNoon + 15));
  }
  db::WindowStore store(database);
  db::WindowStore other_store(other_database);
  limits::DatabaseWindows right(store);
  limits::DatabaseWindows ahead(other_store);
  for (const Window window : {Window::minute, Window::hour, Window::day}) {
    BOOST_TEST(right.take("a", window, 3, kNoon + 15).granted);
    BOOST_TEST(ahead.take("a", window, 3, kNoon + 15 + 3600).granted);
    BOOST_TEST(ahead.take("a", window, 3, kNoon + 16 + 3600).granted);
    BOOST_TEST(!right.take("a", window, 3, kNoon + 16).granted);
    BOOST_TEST(!ahead.peek("a", window, 3, kNoon + 16 + 3600).granted);
  }
  BOOST_TEST(ahead.take("b", Window::minute, 3, kNoon + 16 + 3600).seconds_left == 44);
  // Its clock is put right.
  const auto status = ahead.take("a", Window::minute, 4, kNoon + 17);
  BOOST_TEST(status.granted);
  BOOST_TEST(status.used == 4);
  BOOST_TEST(status.seconds_left == 43);
}

BOOST_AUTO_TEST_CASE(clocks_that_are_seconds_apart_agree) {
  InDatabase backend;
  backend.database.run("SET timestamp = " + std::to_string(kNoon));
  BOOST_TEST(backend.store.clock_ahead(kNoon + 5) == 0);
  BOOST_TEST(backend.store.clock_ahead(kNoon + 6) == -6);
  BOOST_TEST(backend.store.clock_ahead(kNoon - 3600) == 3600);
}

BOOST_AUTO_TEST_CASE(windows_that_are_over_can_be_pruned) {
  InDatabase backend;
  backend.windows.take("a", Window::minute, 1, kNoon);
  backend.store.prune(kNoon + 100);
  BOOST_TEST(backend.store.used("a", 60, kNoon + 60) == 1);
  backend.store.prune(kNoon + 2 * 86'400);
  BOOST_TEST(backend.store.used("a", 60, kNoon + 60) == 0);
}

BOOST_AUTO_TEST_CASE(counting_removes_what_is_over) {
  InDatabase backend;
  backend.windows.take("a", Window::minute, 1, kNoon);
  backend.windows.take("b", Window::minute, 1, kNoon + 3600);
  BOOST_TEST(backend.store.used("a", 60, kNoon + 60) == 1);
  backend.windows.take("b", Window::minute, 1, kNoon + 2 * 86'400);
  BOOST_TEST(backend.store.used("a", 60, kNoon + 60) == 0);
}

BOOST_FIXTURE_TEST_CASE(a_refused_request_costs_no_statement_until_its_window_ends, Door) {
  for (int i = 0; i < 3; ++i) BOOST_TEST(wait() == 0);
  BOOST_TEST(wait() == 60);
  std::int64_t before = statements(database);
  for (int i = 0; i < 50; ++i) {
    const limits::GateDecision refused = knock();
    BOOST_TEST(refused.refusal.has_value());
    BOOST_TEST(refused.rate->limit == 3);
    BOOST_TEST(refused.rate->remaining() == 0);
    BOOST_TEST(refused.rate->seconds_left == 60);
  }
  BOOST_TEST(statements(database) == before + 1);
  BOOST_TEST(!knock("192.0.2.2").refusal);
  // The next minute has the last two requests of the day.
  clock.time += std::chrono::minutes(1);
  BOOST_TEST(wait() == 0);
  BOOST_TEST(wait() == 0);
  BOOST_TEST(wait() == 43'200 - 60);
  before = statements(database);
  for (int i = 0; i < 50; ++i) BOOST_TEST(wait() == 43'200 - 60);
  BOOST_TEST(statements(database) == before + 1);
  BOOST_TEST(store.used("address 192.0.2.1", 86'400, kNoon + 43'200) == 5);
  clock.time += std::chrono::hours(12);
  BOOST_TEST(wait() == 0);
}

BOOST_FIXTURE_TEST_CASE(a_refusal_of_another_host_is_found_out_once, Door) {
  for (int i = 0; i < 3; ++i) store.take("address 192.0.2.1", 60, kNoon + 60, 3);
  BOOST_TEST(wait() == 60);
  const std::int64_t before = statements(database);
  BOOST_TEST(wait() == 60);
  BOOST_TEST(statements(database) == before + 1);
}

BOOST_AUTO_TEST_CASE(only_so_many_exhausted_windows_are_remembered) {
  InDatabase backend;
  constexpr int kMost = limits::DatabaseWindows::kMostExhausted;
  backend.database.run("INSERT INTO rate_windows SELECT CONCAT('60 ', seq), FROM_UNIXTIME(" +
                       std::to_string(kNoon) + "), 1 FROM " + test::numbers(1, kMost + 10));
  const auto is_known = [&](int number, std::int64_t now) {
    return !backend.windows.recall(std::to_string(number), Window::minute, 1, now).granted;
  };
  int known = 0;
  for (int number = 1; number <= kMost + 10; ++number) {
    backend.windows.peek(std::to_string(number), Window::minute, 1, kNoon);
    BOOST_TEST(is_known(number, kNoon));
  }
  for (int number = 1; number <= kMost + 10; ++number) known += is_known(number, kNoon);
  BOOST_TEST(known == kMost);
}

BOOST_AUTO_TEST_CASE(a_connection_that_was_lost_before_it_counts_goes_unnoticed) {
  InDatabase backend;
  db::Database other(backend.test_database.settings());
  BOOST_TEST(backend.windows.take("a", Window::minute, 2, kNoon).granted);
  const std::string session = test::ask(backend.database, "SELECT CONNECTION_ID()");
  other.run("KILL " + session);
  while (test::ask(other, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = " +
                              session) != "0") {
  }
  BOOST_TEST(backend.windows.take("a", Window::minute, 2, kNoon).granted);
  BOOST_TEST(!backend.windows.take("a", Window::minute, 2, kNoon).granted);
}

// The server has counted, and the connection ends before it can say so.
BOOST_AUTO_TEST_CASE(a_count_whose_answer_was_lost_counts_once) {
  InDatabase backend;
  backend.database.run("ALTER TABLE rate_windows ENGINE=MyISAM");  // nothing is rolled back
  backend.database.run(
      "CREATE TRIGGER lose_it AFTER INSERT ON rate_windows FOR EACH ROW KILL CONNECTION_ID()");
  // MySQL manages to say that the statement was interrupted.
  BOOST_CHECK_THROW(backend.windows.take("a", Window::minute, 3, kNoon), db::Error);
  BOOST_TEST(backend.store.used("a", 60, kNoon + 60) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
