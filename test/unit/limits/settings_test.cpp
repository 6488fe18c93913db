#include "app/limits/gate.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::limits {
namespace {

BOOST_AUTO_TEST_SUITE(settings)

BOOST_AUTO_TEST_CASE(switches_are_read_in_every_spelling) {
  for (const char* yes : {"on", "TRUE", "Yes", "1"}) {
    BOOST_TEST(normalise_setting("api_enabled", yes) == "on");
  }
  for (const char* no : {"off", "False", "NO", "0"}) {
    BOOST_TEST(normalise_setting("api_enabled", no) == "off");
  }
}

BOOST_AUTO_TEST_CASE(a_number_out_of_bounds_names_the_bounds) {
  const auto names_bounds = [](const SettingError& error) {
    const std::string text = error.what();
    return text.find("builds_per_hour") != text.npos && text.find("from 0 to") != text.npos;
  };
  for (const char* bad : {"-1", "10000001", "99999999999999999999", "", "ten", "1.5", " 1"}) {
    BOOST_CHECK_EXCEPTION(normalise_setting("builds_per_hour", bad), SettingError, names_bounds);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_name_lists_the_known_ones) {
  BOOST_CHECK_EXCEPTION(
      normalise_setting("api_enable", "on"), SettingError, [](const SettingError& error) {
        return std::string(error.what()).find("keyless_access") != std::string::npos;
      });
}

BOOST_AUTO_TEST_CASE(what_is_not_stored_or_no_longer_legal_has_its_default) {
  const Settings settings = make_settings(
      {{"builds_per_hour", "3"}, {"compiles_per_hour", "many"}, {"keyless_access", "off"}});
  BOOST_TEST(settings.builds_per_hour == 3);
  BOOST_TEST(settings.compiles_per_hour == Settings().compiles_per_hour);
  BOOST_TEST(!settings.keyless_access);
  BOOST_TEST(settings.api_enabled);
}

BOOST_AUTO_TEST_CASE(every_setting_can_be_shown_and_set_to_what_is_shown) {
  for (const SettingInfo& info : setting_infos()) {
    const std::string text = setting_text(Settings(), info);
    BOOST_TEST(normalise_setting(info.name, text) == text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace goldsmith::limits
