#include "app/web/request.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <optional>
#include <string>

using goldsmith::web::is_unsatisfiable_range;
using goldsmith::web::looks_at_range;

namespace {

using Headers = std::map<std::string, std::string, std::less<>>;

// For a file of Thu, 01 Jan 2015 00:00:00 GMT.
bool is_looked_at(Headers headers, std::optional<std::string> if_none_match = std::nullopt) {
  goldsmith::web::Request request;
  request.headers = std::move(headers);
  request.headers["range"] = "bytes=0-0";
  request.if_none_match = std::move(if_none_match);
  return looks_at_range(request, {"\"a\"", 1'420'070'400});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(range)

BOOST_AUTO_TEST_CASE(a_range_that_overlaps_the_file_is_satisfiable) {
  for (const std::string value :
       {"bytes=0-0", "bytes=0-", "bytes=9-", "bytes=9-9", "bytes=5-1000", "bytes=-1", "bytes=-1000",
        "Bytes= 0 - 3 ", "bytes=100-,-1", "bytes=0-9223372036854775807"}) {
    BOOST_TEST(!is_unsatisfiable_range(value, 10), value);
  }
}

BOOST_AUTO_TEST_CASE(a_range_beyond_the_end_or_of_no_bytes_is_not_satisfiable) {
  for (const std::string value : {"bytes=10-", "bytes=10-20", "bytes=-0", "bytes=5-4",
                                  "bytes=10-,20-30", "bytes=99999999999999999999999-"}) {
    BOOST_TEST(is_unsatisfiable_range(value, 10), value);
  }
  BOOST_TEST(is_unsatisfiable_range("bytes=0-", 0));
  BOOST_TEST(is_unsatisfiable_range("bytes=-1", 0));
}

BOOST_AUTO_TEST_CASE(a_malformed_range_is_not_satisfiable) {
  for (const std::string value :
       {"bytes=", "bytes=a", "bytes=-", "bytes=1", "bytes=a-b", "bytes=1-b", "bytes=0x1-2",
        "bytes=--1", "bytes=,,", "bytes=1 2-3", "bytes=0-0,a-b", "bytes=0-0,", "bytes=- 1",
        "bytes=0-9223372036854775808", "bytes=0-1\t"}) {
    BOOST_TEST(is_unsatisfiable_range(value, 10), value);
  }
}

BOOST_AUTO_TEST_CASE(ranges_in_units_other_than_bytes_are_ignored) {
  for (const std::string value : {"", "apples=10-", "bytes", "bytes 10-", "0-1"}) {
    BOOST_TEST(!is_unsatisfiable_range(value, 10), value);
  }
}

BOOST_AUTO_TEST_CASE(conditions_come_before_the_range) {
  BOOST_TEST(!looks_at_range({}, {"\"a\"", 0}));
  BOOST_TEST(is_looked_at({}));
  BOOST_TEST(is_looked_at({{"if-match", "\"x\", \"a\""}}));
  BOOST_TEST(!is_looked_at({{"if-match", "\"x\""}}));
  BOOST_TEST(!is_looked_at({{"if-match", "W/\"a\""}}));
  BOOST_TEST(!is_looked_at({}, "W/\"a\""));
  BOOST_TEST(is_looked_at({}, "\"x\""));
}

BOOST_AUTO_TEST_CASE(dates_are_conditions_in_each_of_their_forms) {
  for (const std::string date : {"Thu, 01 Jan 2015 00:00:00 GMT",
                                 "Thursday, 01-Jan-15 00:00:00 GMT", "Thu Jan  1 00:00:00 2015"}) {
    BOOST_TEST(is_looked_at({{"if-range", date}}), date);
    BOOST_TEST(is_looked_at({{"if-unmodified-since", date}}), date);
    BOOST_TEST(!is_looked_at({{"if-modified-since", date}}), date);
  }
  const std::string earlier = "Wed, 31 Dec 2014 23:59:59 GMT";
  BOOST_TEST(!is_looked_at({{"if-range", earlier}}));
  BOOST_TEST(!is_looked_at({{"if-unmodified-since", earlier}}));
  BOOST_TEST(is_looked_at({{"if-modified-since", earlier}}));
  BOOST_TEST(!is_looked_at({{"if-range", "yesterday"}}));
  BOOST_TEST(!is_looked_at({{"if-unmodified-since", "yesterday"}}));
  BOOST_TEST(is_looked_at({{"if-range", "\"a\""}}));
  BOOST_TEST(!is_looked_at({{"if-range", "W/\"a\""}}));
}

BOOST_AUTO_TEST_SUITE_END()
