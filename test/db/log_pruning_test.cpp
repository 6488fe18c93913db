#include "db/download_log.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

#include "db/download_log.hpp"
#include "test/db/builders.hpp"
#include "test/support/numbers.hpp"

using namespace goldsmith;
using test::kNow;

namespace {

struct Pruned : test::DatabaseFixture {
  db::DownloadLog log{database};

  // `count` rows, a second apart from `time` on.
  void add(const std::string& time, int count) {
    database.run(
        "INSERT INTO download_log (time, slug, version, kind, toolchain, caller, result,"
        " compile_milliseconds) SELECT '" +
        time +
        "' + INTERVAL seq SECOND, 'plugin', '1.0', 'sma', '', '192.0.2.1', 'ok', 0"
        " FROM " +
        test::numbers(0, count - 1));
  }
  std::string count(const std::string& condition = "1") {
    return test::ask(database, "SELECT COUNT(*) FROM download_log WHERE " + condition);
  }
  db::LogCounts prune(const db::LogLimits& limits) {
    return db::prune_log(database, limits, [](const db::LogCounts&) {});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(log_pruning, Pruned)

BOOST_AUTO_TEST_CASE(old_rows_go_old_addresses_are_blanked_and_the_rest_stays) {
  add("2023-01-01 00:00:00", 2500);
  add("2024-04-01 00:00:00", 1500);
  add("2024-05-01 00:00:00", 10);
  const db::LogLimits limits{"2023-05-06 07:08:09"_utc, "2024-04-06 07:08:09"_utc};
  BOOST_TEST(db::is_prunable(database, limits));
  const db::LogCounts expected = db::count_prunable(database, limits);
  BOOST_TEST(count() == "4010");
  const db::LogCounts counts = prune(limits);
  BOOST_TEST(counts.rows == 2500);
  BOOST_TEST(counts.addresses == 1500);
  BOOST_TEST(expected.rows == counts.rows);
  BOOST_TEST(expected.addresses == counts.addresses);
  BOOST_TEST(count() == "1510");
  BOOST_TEST(count("caller = '' AND time < '2024-04-06'") == "1500");
  BOOST_TEST(count("caller = '192.0.2.1' AND time >= '2024-05-01'") == "10");
  BOOST_TEST(!db::is_prunable(database, limits));
  const db::LogCounts again = prune(limits);
  BOOST_TEST(again.rows == 0);
  BOOST_TEST(again.addresses == 0);
}

BOOST_AUTO_TEST_CASE(pruning_without_limits_removes_nothing) {
  add("2003-01-01 00:00:00", 5);
  BOOST_TEST(!db::is_prunable(database, {}));
  const db::LogCounts counts = prune({});
  BOOST_TEST(counts.rows == 0);
  BOOST_TEST(counts.addresses == 0);
  BOOST_TEST(count("caller <> ''") == "5");
  // The one does not need the other.
  BOOST_TEST(prune({std::nullopt, "2020-01-01 00:00:00"_utc}).addresses == 5);
  BOOST_TEST(prune({"2020-01-01 00:00:00"_utc, std::nullopt}).rows == 5);
}

BOOST_AUTO_TEST_CASE(the_row_at_the_limit_stays) {
  add("2024-01-01 00:00:00", 3);
  BOOST_TEST(prune({"2024-01-01 00:00:01"_utc, "2024-01-01 00:00:02"_utc}).rows == 1);
  BOOST_TEST(count() == "2");
  BOOST_TEST(count("caller <> ''") == "1");
}

BOOST_AUTO_TEST_CASE(more_rows_of_one_second_than_a_transaction_takes_are_pruned_too) {
  for (int i = 0; i < 3; ++i) {
    database.run(
        "INSERT INTO download_log (time, slug, version, kind, toolchain, caller, result,"
        " compile_milliseconds) SELECT '2023-01-01 00:00:00', 'p', '1', 'sma', '', '::1', 'ok', 0"
        " FROM " +
        test::numbers(1, 1000));
  }
  add("2023-01-01 00:00:01", 5);
  BOOST_TEST(prune({std::nullopt, "2023-01-01 00:00:03"_utc}).addresses == 3002);
  BOOST_TEST(prune({"2023-01-01 00:00:03"_utc, std::nullopt}).rows == 3002);
  BOOST_TEST(count() == "3");
}

BOOST_AUTO_TEST_CASE(what_was_interrupted_is_continued) {
  add("2023-01-01 00:00:00", 5000);
  struct Interrupted {};
  const auto stop = [](const db::LogCounts& counts) {
    if (counts.addresses >= 2000 || counts.rows >= 2000) throw Interrupted();
  };
  const db::LogLimits addresses{std::nullopt, "2024-01-01 00:00:00"_utc};
  BOOST_CHECK_THROW(db::prune_log(database, addresses, stop), Interrupted);
  BOOST_TEST(count("caller = ''") == "2000");
  BOOST_TEST(prune(addresses).addresses == 3000);
  const db::LogLimits rows{"2024-01-01 00:00:00"_utc, std::nullopt};
  BOOST_CHECK_THROW(db::prune_log(database, rows, stop), Interrupted);
  BOOST_TEST(count() == "3000");
  BOOST_TEST(prune(rows).rows == 3000);
}

BOOST_AUTO_TEST_CASE(pruning_the_log_keeps_the_counters_of_plugins) {
  db::PluginStore store = plugins();
  store.import(test::make_plugin("counted", 5), kNow);
  log.record({kNow, "counted", "1.0", "sma", "", "192.0.2.1", "ok", 0});
  BOOST_TEST(prune({"2025-01-01 00:00:00"_utc, std::nullopt}).rows == 1);
  BOOST_TEST(store.find("counted")->downloads == 6);
}

BOOST_AUTO_TEST_CASE(downloads_are_logged_without_a_wait_while_the_log_is_pruned) {
  add("2023-01-01 00:00:00", 1500);
  add("2024-05-01 00:00:00", 1);
  db::Database other(test_database.settings());
  for (const db::LogLimits& limits : {db::LogLimits{std::nullopt, "2024-01-01 00:00:00"_utc},
                                      db::LogLimits{"2024-01-01 00:00:00"_utc, std::nullopt}}) {
    // All of it in one transaction, which is held open: a wait for a lock would end in an error.
    database.transaction([&] {
      const std::string sql =
          !limits.rows_before
              ? "UPDATE download_log FORCE INDEX (download_log_time) SET caller = ''"
                " WHERE time >= '2023-01-01' AND time < '2024-01-01' AND caller <> ''"
              : "DELETE l FROM download_log l FORCE INDEX (download_log_time)"
                " WHERE l.time >= '2023-01-01' AND l.time < '2024-01-01'";
      BOOST_TEST(database.execute(sql) == 1500U);
      db::DownloadLog(other).record({kNow, "plugin", "1.0", "sma", "", "192.0.2.1", "ok", 0});
    });
  }
  BOOST_TEST(count() == "3");
}

BOOST_AUTO_TEST_CASE(the_log_is_listed_and_pruned_by_its_index) {
  add("2023-01-01 00:00:00", 20000);
  database.run("ANALYZE TABLE download_log");
  for (const char* sql :
       {"SELECT time, slug FROM download_log WHERE time >= '2023-01-01 05:30:00'"
        " ORDER BY time DESC, id DESC LIMIT 100",
        "SELECT time FROM download_log WHERE time >= '2023-01-01' AND time < '2023-01-02'"
        " ORDER BY time LIMIT 1 OFFSET 1000",
        "DELETE l FROM download_log l FORCE INDEX (download_log_time)"
        " WHERE l.time >= '2023-01-01' AND l.time < '2023-01-01 00:15:00'"}) {
    const test::Plan plan = test::explain(database, sql).front();
    BOOST_TEST(plan.key == "download_log_time", sql);
    BOOST_TEST(plan.extra.find("filesort") == std::string::npos, sql);
  }
}

BOOST_AUTO_TEST_SUITE_END()
