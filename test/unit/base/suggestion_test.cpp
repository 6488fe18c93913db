#include "app/base/text.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::base {

BOOST_AUTO_TEST_SUITE(suggestion)

BOOST_AUTO_TEST_CASE(a_misspelt_name_finds_the_nearest_known_one) {
  BOOST_TEST(nearest("categry", {"slug", "category", "name"}) == "category");
  BOOST_TEST(nearest("file", {"version", "files", "status"}) == "files");
  BOOST_TEST(nearest("frm", {"to", "from"}) == "from");
  BOOST_TEST(nearest("Slug", {"slug"}) == "slug");
  BOOST_TEST(nearest("keyyy", {"key"}) == "key");
}

BOOST_AUTO_TEST_CASE(a_name_unlike_all_others_finds_none) {
  BOOST_TEST(nearest("zzz", {"slug", "to", "name"}) == "");
  BOOST_TEST(nearest("", {"slug", "to"}) == "");
  BOOST_TEST(nearest(std::string(100'000, 'a'), {"aaaa"}) == "");
}

BOOST_AUTO_TEST_CASE(alternatives_are_listed_as_a_sentence_does) {
  BOOST_TEST(alternatives({}) == "");
  BOOST_TEST(alternatives({"a"}) == "a");
  BOOST_TEST(alternatives({"a", "b"}) == "a or b");
  BOOST_TEST(alternatives({"a", "b", "c"}) == "a, b or c");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::base
