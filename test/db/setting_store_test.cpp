#include "db/access_store.hpp"

#include <boost/test/unit_test.hpp>

#include "test/db/builders.hpp"

using namespace goldsmith;

BOOST_FIXTURE_TEST_SUITE(setting_store, test::DatabaseFixture)

BOOST_AUTO_TEST_CASE(settings_are_kept_and_overwritten_by_name) {
  db::SettingStore store(database);
  BOOST_TEST(store.load().empty());
  store.set("api_enabled", "off");
  store.set("compiles_per_hour", "60");
  store.set("api_enabled", "on");
  const auto settings = store.load();
  BOOST_TEST(settings.size() == 2U);
  BOOST_TEST(settings.at("api_enabled") == "on");
  BOOST_TEST(settings.at("compiles_per_hour") == "60");
}

BOOST_AUTO_TEST_CASE(a_change_moves_the_revision_and_the_same_value_does_not) {
  db::SettingStore store(database);
  const auto first = db::read_progress(database).revision;
  store.set("api_enabled", "off");
  const auto second = db::read_progress(database).revision;
  BOOST_TEST(second > first);
  store.set("api_enabled", "off");
  BOOST_TEST(db::read_progress(database).revision == second);
  store.set("api_enabled", "on");
  BOOST_TEST(db::read_progress(database).revision > second);
}

BOOST_AUTO_TEST_SUITE_END()
