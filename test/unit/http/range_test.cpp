#include "app/http/range.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using goldsmith::http::is_unsatisfiable_range;

BOOST_AUTO_TEST_SUITE(range)

BOOST_AUTO_TEST_CASE(a_range_that_overlaps_the_file_is_satisfiable) {
  for (const std::string value :
       {"bytes=0-0", "bytes=0-", "bytes=9-", "bytes=9-9", "bytes=5-1000", "bytes=-1", "bytes=-1000",
        "Bytes= 0 - 3 ", "bytes=100-,-1", "bytes=0-99999999999999999999999"}) {
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
        "bytes=--1", "bytes=,,", "bytes=1 2-3"}) {
    BOOST_TEST(is_unsatisfiable_range(value, 10), value);
  }
}

BOOST_AUTO_TEST_CASE(other_units_are_ignored) {
  for (const std::string value : {"", "apples=10-", "bytes", "bytes 10-", "0-1"}) {
    BOOST_TEST(!is_unsatisfiable_range(value, 10), value);
  }
}

BOOST_AUTO_TEST_SUITE_END()
