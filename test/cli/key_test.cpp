#include <boost/test/unit_test.hpp>
#include <chrono>

#include "app/base/json.hpp"
#include "db/access_store.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

namespace {

struct Keys : OperatorHost {
  json::Object listed(std::size_t index = 0) const {
    const json::Value list = json::parse(done({"key", "list", "--json"}));
    return *list.as_array()->at(index).as_object();
  }
  static std::int64_t number(const json::Object& object, const char* name) {
    return *object.at(name).as_integer();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(keys, Keys)

BOOST_AUTO_TEST_CASE(a_key_has_no_budgets_of_its_own_unless_it_is_given_them) {
  done({"key", "create", "--name", "plain"});
  BOOST_TEST(listed().at("builds_per_hour").is_null());
  BOOST_TEST(listed().at("compiles_per_hour").is_null());
  done({"key", "create", "--name", "reseller", "--compiles-per-hour", "30", "--builds-per-hour=0"});
  BOOST_TEST(number(listed(1), "compiles_per_hour") == 30);
  BOOST_TEST(number(listed(1), "builds_per_hour") == 0);
  BOOST_TEST(done({"key", "list"}).find("30/0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(budgets_are_changed_one_by_one) {
  done({"key", "create", "--name", "reseller", "--per-day", "50", "--builds-per-hour", "5",
        "--expires", "2030-01-01"});
  BOOST_TEST(done({"key", "set", "1", "--per-minute", "7", "--compiles-per-hour", "9"}) ==
             "key 1 is changed\n");
  json::Object key = listed();
  BOOST_TEST(number(key, "per_minute") == 7);
  BOOST_TEST(number(key, "per_day") == 50);
  BOOST_TEST(number(key, "compiles_per_hour") == 9);
  BOOST_TEST(number(key, "builds_per_hour") == 5);
  BOOST_TEST(*key.at("expires_at").as_string() == "2030-01-01 00:00:00");
  done({"key", "set", "1", "--builds-per-hour", "none", "--expires", "none"});
  key = listed();
  BOOST_TEST(key.at("builds_per_hour").is_null());
  BOOST_TEST(*key.at("expires_at").as_string() == "");
  BOOST_TEST(number(key, "compiles_per_hour") == 9);
  for (const char* bad : {"-1", "10000001", "many", ""}) {
    const std::string value = std::string("--builds-per-hour=") + bad;
    BOOST_TEST(failed({"key", "set", "1", value}, 2).find("--builds-per-hour") !=
               std::string::npos);
  }
  BOOST_TEST(failed({"key", "set", "2", "--per-day", "1"}) ==
             "goldsmith: there is no key 2; see \"goldsmith key list\"\n");
}

BOOST_AUTO_TEST_CASE(the_list_has_what_a_key_used_in_a_day_and_a_month) {
  using std::chrono::hours;
  done({"key", "create", "--name", "used"});
  done({"key", "create", "--name", "idle"});
  db::KeyStore store(database());
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  store.add_uses(1, now, {100, 20, 3});
  store.add_uses(1, now - hours(22), {7, 0, 1});
  store.add_uses(1, now - hours(25), {1000, 0, 0});
  store.add_uses(1, now - hours(24 * 31), {50'000, 0, 0});
  const json::Object key = listed();
  const json::Object& day = *key.at("used_day").as_object();
  BOOST_TEST(number(day, "requests") == 107);
  BOOST_TEST(number(day, "compiles") == 20);
  BOOST_TEST(number(day, "builds") == 4);
  BOOST_TEST(number(*key.at("used_month").as_object(), "requests") == 1107);
  BOOST_TEST(number(*listed(1).at("used_month").as_object(), "requests") == 0);
  const std::string table = done({"key", "list"});
  BOOST_TEST(table.find("107/20/4") != std::string::npos, table);
  BOOST_TEST(table.find("1107/20/4") != std::string::npos, table);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
