#include "app/domain/plugin.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "test/support/utc.hpp"

using namespace goldsmith;
using domain::DatedVersion;
using domain::time_of_undated;

namespace {

const domain::Timestamp kFirst = "2020-01-01 00:00:00"_utc;
const domain::Timestamp kSecond = "2021-01-01 00:00:00"_utc;
const domain::Timestamp kNow = "2026-01-01 00:00:00"_utc;

std::string time_of(std::string_view version, const std::vector<DatedVersion>& known) {
  return domain::format_timestamp(time_of_undated(version, known, kNow));
}

const std::string kFirstText = domain::format_timestamp(kFirst);
const std::string kSecondText = domain::format_timestamp(kSecond);
const std::string kNowText = domain::format_timestamp(kNow);

}  // namespace

BOOST_AUTO_TEST_SUITE(version_time)

BOOST_AUTO_TEST_CASE(a_version_that_follows_the_newest_is_new) {
  BOOST_TEST(time_of("1.0", {}) == kNowText);
  BOOST_TEST(time_of("1.10", {{"1.9", kFirst}}) == kNowText);
  BOOST_TEST(time_of("1.10", {{"1.9", kNow}}) == kNowText);
}

BOOST_AUTO_TEST_CASE(an_older_one_comes_behind_all_that_are_higher_and_before_the_rest) {
  const std::vector<DatedVersion> known{{"1.1", kSecond}, {"1.0", kFirst}};
  BOOST_TEST(time_of("1.0.5", known) == kSecondText);
  BOOST_TEST(time_of("0.9", known) == kFirstText);
}

BOOST_AUTO_TEST_CASE(of_equal_times_the_higher_number_is_the_newest) {
  BOOST_TEST(time_of("1.5", {{"1.0", kFirst}, {"2.0", kFirst}}) == kFirstText);
  BOOST_TEST(time_of("1.5", {{"2.0", kFirst}, {"1.0", kFirst}}) == kFirstText);
}

// The dates say that a lower number came after a higher one: then it is what a new version follows.
BOOST_AUTO_TEST_CASE(dates_decide_which_version_is_the_newest) {
  BOOST_TEST(time_of("1.0", {{"2013", kFirst}, {"0.9", kSecond}}) == kNowText);
  BOOST_TEST(time_of("0.8", {{"2013", kFirst}, {"0.9", kSecond}}) == kFirstText);
}

BOOST_AUTO_TEST_CASE(a_date_in_the_future_is_not_copied) {
  BOOST_TEST(time_of("1.0", {{"2.0", "2030-01-01 00:00:00"_utc}}) == kNowText);
}

BOOST_AUTO_TEST_SUITE_END()
