#include "app/domain/timestamp.hpp"

#include <boost/test/unit_test.hpp>
#include <utility>
#include <vector>

#include "test/support/utc.hpp"

using goldsmith::domain::format_timestamp;
using goldsmith::domain::parse_timestamp;

BOOST_AUTO_TEST_SUITE(timestamp)

BOOST_AUTO_TEST_CASE(every_accepted_form_becomes_utc) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"2024-05-01 12:34:56", "2024-05-01 12:34:56"},
      {"2024-05-01T12:34:56", "2024-05-01 12:34:56"},
      {"2024-05-01T12:34:56Z", "2024-05-01 12:34:56"},
      {"2024-05-01 12:34:56Z", "2024-05-01 12:34:56"},
      {"2024-05-01", "2024-05-01 00:00:00"},
      {"2024-05-01T12:34:56.789Z", "2024-05-01 12:34:56"},
      {"2024-05-01T12:34:56.123456789+02:00", "2024-05-01 10:34:56"},
      {"2024-05-01T12:34:56+02:00", "2024-05-01 10:34:56"},
      {"2024-05-01T12:34:56+0230", "2024-05-01 10:04:56"},
      {"2024-05-01T12:34:56-05", "2024-05-01 17:34:56"},
      {"2024-05-01T12:34:56-00:00", "2024-05-01 12:34:56"},
      {"2024-01-01T00:30:00+01:00", "2023-12-31 23:30:00"},
      {"2023-12-31T23:30:00-01:00", "2024-01-01 00:30:00"},
      {"2024-03-01T00:00:00+00:01", "2024-02-29 23:59:00"},
      {"2024-02-29", "2024-02-29 00:00:00"},
      {"2000-02-29", "2000-02-29 00:00:00"},
      {"1969-12-31 23:59:59", "1969-12-31 23:59:59"},
      {"9999-12-31 23:59:59", "9999-12-31 23:59:59"},
      {"0001-01-01", "0001-01-01 00:00:00"}};
  for (const auto& [text, expected] : cases) {
    const auto time = parse_timestamp(text);
    BOOST_TEST_REQUIRE(time.has_value(), text);
    BOOST_TEST(format_timestamp(*time) == expected);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_real_time_is_refused) {
  for (const auto* text :
       {"2024-02-30", "2023-02-29", "1900-02-29", "2024-04-31", "2024-00-10", "2024-13-01",
        "2024-01-00", "2024-01-32", "2024-01-01 24:00:00", "2024-01-01 23:60:00",
        "2024-01-01 23:59:60", "0000-01-01", "2024-01-01T00:00:00+24:00",
        "2024-01-01T00:00:00+01:60", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00"}) {
    BOOST_TEST(!parse_timestamp(text), text);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_time_at_all_is_refused) {
  for (const auto* text : {"",
                           " ",
                           "now",
                           "2024",
                           "2024-05",
                           "2024-5-1",
                           "24-05-01",
                           "2024/05/01",
                           "2024-05-01T",
                           "2024-05-01 12",
                           "2024-05-01 12:34",
                           "2024-05-01T12:34:56.",
                           "2024-05-01T12:34:56.Z",
                           "2024-05-01T12:34:56+",
                           "2024-05-01T12:34:56+1",
                           "2024-05-01T12:34:56+01:",
                           "2024-05-01T12:34:56+01:0",
                           "2024-05-01T12:34:56ZZ",
                           "2024-05-01T12:34:56z",
                           "2024-05-01t12:34:56",
                           "2024-05-01  12:34:56",
                           " 2024-05-01",
                           "2024-05-01 ",
                           "2024-05-01 12:34:56 ",
                           "+024-05-01",
                           "-2024-05-01",
                           "2024-05-0x",
                           "12024-05-01",
                           "2024-05-01Z",
                           "2024-05-01 12:34:56 UTC",
                           "\xD9\xA2\xD9\xA0-01-01"}) {
    BOOST_TEST(!parse_timestamp(text), text);
  }
  BOOST_TEST(!parse_timestamp(std::string_view("2024-05-01\0", 11)));
}

BOOST_AUTO_TEST_CASE(a_normalised_time_stays_as_it_is) {
  const auto once = parse_timestamp("2024-05-01T12:34:56+02:00");
  BOOST_TEST_REQUIRE(once.has_value());
  BOOST_TEST(parse_timestamp(format_timestamp(*once)) == once);
}

BOOST_AUTO_TEST_CASE(a_time_is_written_in_utc) {
  const auto at = [](std::int64_t seconds) {
    return format_timestamp(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
  };
  BOOST_TEST(at(0) == "1970-01-01 00:00:00");
  BOOST_TEST(at(951'827'696) == "2000-02-29 12:34:56");
  BOOST_TEST(at(4'107'542'399) == "2100-02-28 23:59:59");
  BOOST_TEST(at(-1) == "1969-12-31 23:59:59");
}

BOOST_AUTO_TEST_CASE(an_absent_time_is_an_empty_text) {
  BOOST_TEST(format_timestamp(std::nullopt) == "");
}

BOOST_AUTO_TEST_SUITE_END()
