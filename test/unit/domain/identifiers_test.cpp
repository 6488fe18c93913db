#include "app/domain/names.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

using namespace goldsmith::domain;
using std::string_literals::operator""s;

BOOST_AUTO_TEST_SUITE(identifiers)

BOOST_AUTO_TEST_CASE(a_slug_is_groups_of_lower_case_letters_and_digits_between_single_hyphens) {
  for (const auto& text :
       {"a"s, "0"s, "amxmodx-1-10"s, "a-b-c"s, "2fast4you"s, std::string(64, 'a')}) {
    BOOST_TEST(Slug::parse(text).has_value(), text);
  }
  for (const auto& text : {""s, "-"s, "-a"s, "a-"s, "a--b"s, "A"s, "a_b"s, "a b"s, "a."s, "é"s,
                           "a\n"s, "a\0b"s, "a/b"s, ".."s, std::string(65, 'a')}) {
    BOOST_TEST(!Slug::parse(text), text);
  }
}

BOOST_AUTO_TEST_CASE(a_version_starts_with_a_letter_or_digit) {
  for (const auto& text :
       {"1"s, "1.8.2"s, "v2"s, "3.15.0.896-dev+m"s, "1~rc_1"s, "1..2"s, std::string(64, '1')}) {
    BOOST_TEST(Version::parse(text).has_value(), text);
  }
  for (const auto& text : {""s, "."s, ".."s, "-1"s, "~1"s, "1 2"s, "1/2"s, "1\\2"s, "1@2"s, "1,2"s,
                           "1\n"s, "1\0"s, "1é"s, "../../1"s, std::string(65, '1')}) {
    BOOST_TEST(!Version::parse(text), text);
  }
}

BOOST_AUTO_TEST_CASE(an_identifier_keeps_its_text) {
  const std::string text(64, 'a');
  const auto slug = Slug::parse(text);
  BOOST_TEST_REQUIRE(slug.has_value());
  BOOST_TEST(slug->view() == text);
  BOOST_TEST(slug->str() == text);
  BOOST_TEST("<" + *slug + ">" == "<" + text + ">");
}

BOOST_AUTO_TEST_CASE(identifiers_order_as_their_bytes_do) {
  BOOST_TEST(Slug("a") < Slug("a-b"));
  BOOST_TEST(Version("1.10") < Version("1.9"));
  BOOST_TEST(Version("1.9") == "1.9");
  BOOST_TEST(Version("1.9") != Version("1.90"));
  const std::map<Slug, int, std::less<>> map{{Slug("b"), 2}, {Slug("a"), 1}};
  BOOST_TEST(map.begin()->second == 1);
  BOOST_TEST(map.find(std::string_view("b"))->second == 2);
}

BOOST_AUTO_TEST_CASE(one_that_was_never_set_is_empty) {
  BOOST_TEST(Slug().empty());
  BOOST_TEST(Slug() < Slug("0"));
}

BOOST_AUTO_TEST_SUITE_END()
