#include "app/domain/manifest_fields.hpp"

#include <boost/test/unit_test.hpp>

#include "app/domain/manifest.hpp"

namespace goldsmith::domain {
namespace {

std::string error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const ManifestError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fields)

BOOST_AUTO_TEST_CASE(a_place_names_the_whole_way_to_a_value) {
  const Location location = Location("f").member("versions").element(0).member("files").element(12);
  BOOST_TEST(location.member("kind").field() == "versions[0].files[12].kind");
}

BOOST_AUTO_TEST_CASE(a_name_that_is_no_identifier_is_quoted_in_a_place) {
  const Location location =
      Location("f").member("install_overrides").member("0.2.0.25").member("map");
  BOOST_TEST(location.field() == "install_overrides[\"0.2.0.25\"].map");
}

BOOST_AUTO_TEST_CASE(an_error_of_the_document_itself_names_no_field) {
  BOOST_TEST(error_of([] { Location("f.json").fail("is empty"); }) == "f.json: is empty");
}

BOOST_AUTO_TEST_CASE(a_long_value_is_shortened_between_code_points) {
  std::string text = "x";
  for (int i = 0; i < 100; ++i) text += "é";
  const std::string shown = display(text);
  BOOST_TEST(shown.size() <= 84U);
  BOOST_TEST(shown.ends_with("é…"));
}

BOOST_AUTO_TEST_CASE(each_field_of_a_wrong_type_is_named) {
  const Location location("f", "x");
  BOOST_TEST(error_of([&] { Node(location, 5).text(9); }) ==
             "f: x: 5 is a number; it must be a string");
  BOOST_TEST(error_of([&] { Node(location, nullptr).text(9); }) ==
             "f: x: null is not allowed; it must be a string");
  BOOST_TEST(error_of([&] { Node(location, "1").integer(0, 9); }) ==
             "f: x: \"1\" is a string; it must be an integer");
  BOOST_TEST(error_of([&] { Node(location, 1.5).integer(0, 9); }) ==
             "f: x: 1.5 is a number; it must be an integer");
  BOOST_TEST(error_of([&] { Node(location, 1).boolean(); }) ==
             "f: x: 1 is a number; it must be true or false");
  BOOST_TEST(error_of([&] { Node(location, true).elements(); }) ==
             "f: x: true is a boolean; it must be an array");
  BOOST_TEST(error_of([&] { Node(location, json::Array{}).members(); }) ==
             "f: x: [] is an array; it must be an object");
}

BOOST_AUTO_TEST_CASE(an_integer_is_accepted_up_to_its_bounds) {
  const Location location("f", "x");
  BOOST_TEST(Node(location, -3).integer(-3, 9) == -3);
  BOOST_TEST(Node(location, 9).integer(-3, 9) == 9);
  BOOST_TEST(error_of([&] { Node(location, 10).integer(-3, 9); }) ==
             "f: x: 10 is out of bounds; allowed are -3 to 9");
  BOOST_TEST(error_of([&] { Node(location, -4).integer(-3, 9); }) ==
             "f: x: -4 is out of bounds; allowed are -3 to 9");
}

BOOST_AUTO_TEST_CASE(text_may_hold_line_feeds_but_no_other_control_character) {
  const Location location("f", "x");
  BOOST_TEST(Node(location, "a\n\tb").text(9) == "a\n\tb");
  BOOST_TEST(error_of([&] { Node(location, "a\x1b[2J").text(9); }) ==
             "f: x: \"a\\u001B[2J\" holds a character that is not printable; only line feeds and "
             "tabs are allowed");
  for (const char* each : {"a\u0085", "\u009B31m", "a\u202Eb", "\u2066a", "a\u2028b", "a\uFFFE",
                           "a\uFFFF", "\uFDD0", "\U0001FFFE"}) {
    BOOST_TEST(error_of([&] { Node(location, each).text(9); }).find("not printable") !=
               std::string::npos);
  }
  BOOST_TEST(Node(location, "שלום \u200F禁e\u0301").text(99) == "שלום \u200F禁e\u0301");
  BOOST_TEST(error_of([&] { Node(location, "a\nb").line(9); }) ==
             "f: x: \"a\\nb\" holds a line feed or tab; it must be one line of text");
  BOOST_TEST(error_of([&] { Node(location, "0123456789").text(9); }) ==
             "f: x: \"0123456789\" has 10 bytes; at most 9 are allowed");
}

BOOST_AUTO_TEST_CASE(a_mandatory_field_that_is_missing_is_named) {
  const json::Value value(json::Object{{"to", ""}});
  const Fields fields(Node(Location("f", "map[1]"), value), {"from", "to"});
  BOOST_TEST(!fields.optional("from"));
  BOOST_TEST(fields.optional("to").has_value());
  BOOST_TEST(error_of([&] { fields.required("from"); }) ==
             "f: map[1].from: missing; this field is mandatory");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
