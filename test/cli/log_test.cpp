#include <boost/test/unit_test.hpp>

#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

namespace {

struct Log : OperatorHost {
  // One download that many days ago.
  void add(int days) {
    database().run(
        "INSERT INTO download_log (time, slug, version, kind, toolchain, caller, result,"
        " compile_milliseconds) VALUES (UTC_TIMESTAMP() - INTERVAL " +
        std::to_string(days) + " DAY, 'day-" + std::to_string(days) +
        "', '1.0', 'sma', '', '192.0.2.1', 'ok', 0)");
  }
  std::string ask(const std::string& sql) {
    const auto rows = database().query(sql);
    return rows->next() ? rows->text(1) : "";
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(download_log, Log)

BOOST_AUTO_TEST_CASE(prune_removes_what_is_a_year_old_and_blanks_addresses_after_a_month) {
  for (const int days : {400, 366, 364, 31, 29, 0}) add(days);
  const std::string would = done({"log", "prune", "--dry-run"});
  BOOST_TEST(would.starts_with("would remove 2 downloads older than "), would);
  BOOST_TEST(has(would, "would blank 2 callers' addresses older than "), would);
  BOOST_TEST(has(done({"log", "downloads", "--json"}), "day-400"));
  const std::string did = done({"log", "prune"});
  BOOST_TEST(did.starts_with("removed 2 downloads older than "), did);
  BOOST_TEST(has(did, "blanked 2 callers' addresses older than "), did);
  const std::string left = done({"log", "downloads"});
  for (const char* gone : {"day-400", "day-366"}) BOOST_TEST(!has(left, gone), left);
  for (const char* there : {"day-364", "day-31", "day-29", "day-0"}) {
    BOOST_TEST(has(left, there), left);
  }
  BOOST_TEST(ask("SELECT GROUP_CONCAT(slug ORDER BY id) FROM download_log WHERE caller = ''") ==
             "day-364,day-31");
  BOOST_TEST(done({"log", "prune"}).starts_with("removed 0 downloads "));
}

BOOST_AUTO_TEST_CASE(zero_days_keep_everything) {
  add(4000);
  const std::string did = done({"--log.retention_days=0", "--log.address_days=0", "log", "prune"});
  BOOST_TEST(did ==
             "removed 0 downloads (log.retention_days is 0)\n"
             "removed 0 changes (log.retention_days is 0)\n"
             "blanked 0 callers' addresses (log.address_days is 0)\n");
  BOOST_TEST(has(done({"log", "downloads"}), "192.0.2.1"));
}

BOOST_AUTO_TEST_CASE(a_period_that_is_no_number_of_days_is_refused_with_its_name_and_bounds) {
  for (const std::string value : {"-1", "36501", "year", "", "1.5"}) {
    for (const std::string name : {"log.retention_days", "log.address_days"}) {
      const Called called = call({"--" + name + "=" + value, "log", "prune"});
      BOOST_TEST(called.code != 0);
      BOOST_TEST(has(called.err, name), called.err);
      BOOST_TEST(has(called.err, "0 to 36500"), called.err);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_list_of_no_downloads_is_refused) {
  BOOST_TEST(has(call({"log", "downloads", "--limit=0"}).err, "--limit"));
  BOOST_TEST(call({"log", "downloads", "--limit=1"}).code == 0);
}

BOOST_AUTO_TEST_CASE(json_tells_the_counts_and_the_limits) {
  add(400);
  const std::string json = done({"log", "prune", "--dry-run", "--json"});
  BOOST_TEST(has(json, "\"removed\": 1"), json);
  BOOST_TEST(has(json, "\"blanked_addresses\": 0"), json);
  BOOST_TEST(has(json, "\"dry_run\": true"), json);
}

BOOST_AUTO_TEST_CASE(the_doctor_names_a_log_that_nobody_prunes) {
  add(366);
  database().run("UPDATE download_log SET caller = ''");
  BOOST_TEST(!has(call({"doctor"}).out, "! download log"));  // the timer may come within a day
  add(400);
  const std::string found = call({"doctor"}).out;
  BOOST_TEST(has(found, "! download log"), found);
  BOOST_TEST(has(found, "goldsmith log prune"), found);
  done({"log", "prune"});
  BOOST_TEST(!has(call({"doctor"}).out, "! download log"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
