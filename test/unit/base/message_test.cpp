#include "app/base/message.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <string>

namespace goldsmith::base {

namespace {

std::string in_capitals(std::string_view text) {
  static const std::map<std::string, std::string, std::less<>> texts{
      {"{one} needs {other}: {why}", "{other}: NEEDED BY {one} ({why})"},
      {"it is {what}.", "IT IS {what}."},
      {"{names} and {n} more", "{names} & {n}"}};
  const auto found = texts.find(text);
  return found == texts.end() ? std::string(text) : found->second;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(messages)

BOOST_AUTO_TEST_CASE(values_stand_where_the_text_of_the_language_has_them) {
  const Message message(
      "{one} needs {other}: {why}",
      {{"one", "A"}, {"other", "B"}, {"why", Message("it is {what}.", {{"what", "late"}})}});
  BOOST_TEST(message.english() == "A needs B: it is late.");
  BOOST_TEST(message.in(in_capitals) == "B: NEEDED BY A (IT IS late.)");
}

BOOST_AUTO_TEST_CASE(what_a_value_has_is_no_placeholder) {
  const Message message("{one} needs {other}", {{"one", "{other}"}, {"other", "{one}{"}});
  BOOST_TEST(message.english() == "{other} needs {one}{");
}

BOOST_AUTO_TEST_CASE(a_placeholder_without_a_value_and_other_braces_stay) {
  BOOST_TEST(Message("a {b} {} {", {{"c", "d"}}).english() == "a {b} {} {");
  BOOST_TEST(Message("a {b").english() == "a {b");
  BOOST_TEST(Message().english() == "");
  BOOST_TEST(Message().empty());
}

BOOST_AUTO_TEST_CASE(of_many_names_the_first_are_told) {
  BOOST_TEST(some_of({"a", "b"}, 2).english() == "a, b");
  BOOST_TEST(some_of({"a", "b", "c", "d"}, 2).english() == "a, b and 2 more");
  BOOST_TEST(some_of({"a", "b", "c"}, 2).in(in_capitals) == "a, b & 1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::base
