#include "db/download_log.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <future>

#include "db/access_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using test::kLater;
using test::kNow;

namespace {

struct Log : test::DatabaseFixture {
  db::DownloadLog log{database};
  db::PluginStore store = plugins();

  Log() { store.import(test::make_plugin("counted", 5), kNow); }

  static db::DownloadRecord record(std::string_view slug, std::string_view result) {
    return {kNow, std::string(slug), "1.0", "amxx", "1.9", "2001:db8::1", std::string(result), 37};
  }

  // A download whose request is named by one letter.
  static db::DownloadRecord request(char name, std::string_view result = "ok") {
    db::DownloadRecord named = record("counted", result);
    named.request = std::string(32, name);
    return named;
  }

  // At once, each with a connection of its own.
  static constexpr int kWorkers = 8;
  void on_all_workers(const std::function<void(db::DownloadLog&)>& work) {
    std::vector<std::future<void>> workers;
    for (int i = 0; i < kWorkers; ++i) {
      workers.push_back(std::async(std::launch::async, [&] {
        db::Database own(test_database.settings());
        db::DownloadLog own_log(own);
        work(own_log);
      }));
    }
    for (auto& worker : workers) worker.get();
  }

  // "in the counter, in the log, requests that are remembered"
  std::string counts() {
    return test::ask(database,
                     "SELECT CONCAT_WS(' ', (SELECT downloads FROM plugin_counters),"
                     " (SELECT COUNT(*) FROM download_log),"
                     " (SELECT COUNT(*) FROM recorded_requests))");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(download_log, Log)

BOOST_AUTO_TEST_CASE(a_success_is_logged_and_counted) {
  log.record(record("counted", "ok"));
  BOOST_TEST(store.find("counted")->downloads == 6);
  const auto records = log.list(std::nullopt, 10);
  BOOST_REQUIRE(records.size() == 1U);
  BOOST_TEST(records[0].time == kNow);
  BOOST_TEST(records[0].slug == "counted");
  BOOST_TEST(records[0].version == "1.0");
  BOOST_TEST(records[0].kind == "amxx");
  BOOST_TEST(records[0].toolchain == "1.9");
  BOOST_TEST(records[0].caller == "2001:db8::1");
  BOOST_TEST(records[0].result == "ok");
  BOOST_TEST(records[0].compile_milliseconds == 37);
}

BOOST_AUTO_TEST_CASE(a_failure_is_logged_and_not_counted) {
  log.record(record("counted", "compile_failed"));
  BOOST_TEST(store.find("counted")->downloads == 5);
  BOOST_TEST(log.list(std::nullopt, 10).at(0).result == "compile_failed");
}

BOOST_AUTO_TEST_CASE(counting_does_not_move_the_revision_or_the_plugins_time) {
  const auto revision = db::read_progress(database).revision;
  log.record(record("counted", "ok"));
  BOOST_TEST(db::read_progress(database).revision == revision);
  BOOST_TEST(store.find("counted")->updated_at == kNow);
}

BOOST_AUTO_TEST_CASE(a_download_does_not_wait_for_who_holds_the_plugins_rows) {
  db::Database writer(test_database.settings());
  writer.transaction([&] {
    writer.execute("UPDATE plugins SET name = 'held'");
    const auto begun = std::chrono::steady_clock::now();
    log.record(record("counted", "ok"));
    // A wait for a lock ends after five seconds, with an error.
    BOOST_TEST((std::chrono::steady_clock::now() - begun < std::chrono::seconds(1)));
  });
  BOOST_TEST(store.find("counted")->downloads == 6);
}

BOOST_AUTO_TEST_CASE(downloads_of_one_plugin_at_once_are_all_counted) {
  constexpr int kEach = 50;
  on_all_workers([&](db::DownloadLog& own) {
    for (int n = 0; n < kEach; ++n) own.record(record("counted", "ok"));
  });
  BOOST_TEST(store.find("counted")->downloads == 5 + kWorkers * kEach);
}

BOOST_AUTO_TEST_CASE(a_request_that_is_sent_again_is_recorded_once) {
  for (int sent = 0; sent < 3; ++sent) log.record(request('a'));
  BOOST_TEST(counts() == "1 1 1");
  log.record(request('b'));
  BOOST_TEST(counts() == "2 2 2");
  log.record(record("counted", "ok"));
  log.record(record("counted", "ok"));
  BOOST_TEST(counts() == "4 4 2");
}

BOOST_AUTO_TEST_CASE(a_failure_that_is_sent_again_is_logged_once_and_its_success_counts) {
  log.record(request('a', "compiler_unavailable"));
  log.record(request('a', "compiler_unavailable"));
  BOOST_TEST(counts() == "0 1 1");
  log.record(request('a'));
  log.record(request('a'));
  BOOST_TEST(counts() == "1 2 2");
}

BOOST_AUTO_TEST_CASE(a_request_that_arrives_several_times_at_once_is_recorded_once) {
  constexpr int kRequests = 20;
  on_all_workers([&](db::DownloadLog& own) {
    for (int n = 0; n < kRequests; ++n) own.record(request(static_cast<char>('a' + n)));
  });
  BOOST_TEST(counts() == "20 20 20");
}

// The second host waits for the first one, which may fail.
BOOST_AUTO_TEST_CASE(a_request_whose_first_record_is_undone_is_recorded_by_the_second) {
  db::Database first(test_database.settings());
  std::future<void> second;
  const auto fail = [&] {
    first.run("INSERT INTO recorded_requests VALUES (REPEAT('a', 32), 'ok', UTC_TIMESTAMP())");
    second = std::async(std::launch::async, [&] { log.record(request('a')); });
    BOOST_TEST((second.wait_for(std::chrono::milliseconds(300)) == std::future_status::timeout));
    throw std::runtime_error("undone");
  };
  BOOST_CHECK_THROW(first.transaction(fail), std::runtime_error);
  second.get();
  BOOST_TEST(counts() == "1 1 1");
}

BOOST_AUTO_TEST_CASE(requests_are_forgotten_after_half_an_hour) {
  log.record(request('a'));
  log.record(request('b'));
  database.run(
      "UPDATE recorded_requests SET recorded_at = recorded_at - INTERVAL 31 MINUTE"
      " WHERE request LIKE 'a%'");
  log.forget_requests();
  BOOST_TEST(counts() == "2 2 1");
  log.record(request('a'));
  log.record(request('b'));
  BOOST_TEST(counts() == "3 3 2");
}

BOOST_AUTO_TEST_CASE(a_row_that_can_not_be_written_counts_nothing) {
  auto broken = record("counted", "ok");
  broken.time = "9999-12-31 23:59:59"_utc + std::chrono::seconds(1);
  BOOST_CHECK_EXCEPTION(log.record(broken), db::Error,
                        test::ErrorOfKind{db::Error::Kind::constraint});
  BOOST_TEST(log.list(std::nullopt, 10).empty());
  BOOST_TEST(store.find("counted")->downloads == 5);
}

BOOST_AUTO_TEST_CASE(a_count_that_can_not_be_moved_logs_nothing) {
  database.run(
      "CREATE TRIGGER refuse BEFORE UPDATE ON plugin_counters FOR EACH ROW SIGNAL SQLSTATE "
      "'45000'");
  BOOST_CHECK_THROW(log.record(record("counted", "ok")), db::Error);
  BOOST_CHECK_THROW(log.record(request('a')), db::Error);
  BOOST_TEST(log.list(std::nullopt, 10).empty());
  database.run("DROP TRIGGER refuse");
  log.record(request('a'));
  BOOST_TEST(counts() == "1 1 1");
}

BOOST_AUTO_TEST_CASE(what_a_caller_sends_never_makes_the_row_fail) {
  for (const std::string& hostile :
       {std::string(5000, 'a'), std::string("\xff\xfe"), std::string("'; DROP TABLE plugins; --"),
        std::string("\0\r\n", 3), std::string(63, 'a') + "é", std::string("ж\xff")}) {
    db::DownloadRecord sent = record(hostile, "not_found");
    sent.version = sent.kind = sent.toolchain = sent.caller = sent.result = hostile;
    log.record(sent);
  }
  const auto records = log.list(std::nullopt, 10);
  BOOST_REQUIRE(records.size() == 6U);
  BOOST_TEST(records[5].slug == std::string(64, 'a'));
  BOOST_TEST(records[4].slug == "??");
  BOOST_TEST(records[2].slug == std::string("\0\r\n", 3));
  BOOST_TEST(records[1].slug == std::string(63, 'a'));  // not half a character
  BOOST_TEST(records[0].slug == "???");
}

BOOST_AUTO_TEST_CASE(the_newest_come_first_and_the_limit_holds) {
  auto early = record("early", "not_found");
  early.time = "2020-01-01 00:00:00"_utc;
  auto late = record("late", "not_found");
  late.time = kLater;
  log.record(late);
  log.record(early);
  log.record(record("first", "not_found"));
  log.record(record("second", "not_found"));
  std::vector<std::string> slugs;
  for (const auto& each : log.list(std::nullopt, 10)) slugs.push_back(each.slug);
  BOOST_TEST(slugs == (std::vector<std::string>{"late", "second", "first", "early"}));
  BOOST_TEST(log.list(std::nullopt, 2).size() == 2U);
  BOOST_TEST(log.list(std::nullopt, 0).empty());
  BOOST_TEST(log.list(kNow, 10).size() == 3U);
  BOOST_TEST(log.list("2030-01-01 00:00:00"_utc, 10).empty());
}

BOOST_AUTO_TEST_SUITE_END()
