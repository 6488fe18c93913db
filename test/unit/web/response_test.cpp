#include "app/web/response.hpp"

#include <boost/test/unit_test.hpp>

using goldsmith::web::attachment;
using goldsmith::web::json_ok;
using goldsmith::web::matches_etag;
using goldsmith::web::Response;
using goldsmith::web::strong_etag;

BOOST_AUTO_TEST_SUITE(response)

BOOST_AUTO_TEST_CASE(a_header_is_replaced_regardless_of_letter_case) {
  Response response;
  response.set_header("Cache-Control", "no-store");
  response.set_header("cache-control", "public");
  BOOST_TEST(response.headers.size() == 1);
  BOOST_TEST(*response.header("CACHE-CONTROL") == "public");
  BOOST_TEST(response.header("Cache") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_header_value_cannot_start_another_header) {
  Response response;
  response.set_header("X-Name", std::string_view("a\r\nSet-Cookie: b\0c\x7f", 19));
  BOOST_TEST(*response.header("X-Name") == "aSet-Cookie: bc");
}

BOOST_AUTO_TEST_CASE(a_json_response_has_status_true_and_the_content_type_of_json) {
  const Response response = json_ok({{"plugins", goldsmith::json::Array{}}, {"page", 1}});
  BOOST_TEST(response.status == 200);
  BOOST_TEST(*response.header("Content-Type") == "application/json; charset=utf-8");
  BOOST_TEST(response.body == R"({"page":1,"plugins":[],"status":true})");
}

BOOST_AUTO_TEST_CASE(an_ascii_file_name_has_one_form) {
  BOOST_TEST(attachment("map-votes-1.2.amxx") == R"(attachment; filename="map-votes-1.2.amxx")");
}

BOOST_AUTO_TEST_CASE(a_non_ascii_file_name_has_both_forms) {
  BOOST_TEST(attachment("\xD0\xB9\xC3\xA9 a.sma") ==
             R"(attachment; filename="__ a.sma"; filename*=UTF-8''%D0%B9%C3%A9%20a.sma)");
}

BOOST_AUTO_TEST_CASE(a_percent_sign_cannot_be_decoded_by_the_client) {
  BOOST_TEST(attachment("%41.sma") ==
             R"(attachment; filename="_41.sma"; filename*=UTF-8''%2541.sma)");
}

BOOST_AUTO_TEST_CASE(quotes_slashes_and_line_breaks_never_reach_the_client) {
  BOOST_TEST(attachment("a\"b\\c/d\r\ne;f") == R"(attachment; filename="a_b_c_d__e;f")");
  const std::string value = attachment("\"/\\\r\n\xC3\xA9");
  BOOST_TEST(value == R"(attachment; filename="______"; filename*=UTF-8''_____%C3%A9)");
}

BOOST_AUTO_TEST_CASE(a_name_that_is_not_utf8_has_only_an_ascii_form) {
  BOOST_TEST(attachment("a\xFF.sma") == R"(attachment; filename="a_.sma")");
}

BOOST_AUTO_TEST_CASE(an_entity_tag_is_quoted_and_depends_on_the_bytes) {
  const std::string tag = strong_etag("abc");
  BOOST_TEST(tag.size() == 34);
  BOOST_TEST(tag.front() == '"');
  BOOST_TEST(tag.back() == '"');
  BOOST_TEST(tag == strong_etag("abc"));
  BOOST_TEST(tag != strong_etag("abd"));
}

BOOST_AUTO_TEST_CASE(if_none_match_accepts_a_star_a_tag_or_a_list) {
  BOOST_TEST(matches_etag("*", "\"a\""));
  BOOST_TEST(matches_etag(" * ", "\"a\""));
  BOOST_TEST(matches_etag("\"a\"", "\"a\""));
  BOOST_TEST(matches_etag("\"x\", \"a\"", "\"a\""));
  BOOST_TEST(matches_etag(",\"x\",,\t\"a\",", "\"a\""));
  BOOST_TEST(!matches_etag("\"x\", \"y\"", "\"a\""));
}

BOOST_AUTO_TEST_CASE(entity_tags_are_compared_weakly) {
  BOOST_TEST(matches_etag("W/\"a\"", "\"a\""));
  BOOST_TEST(matches_etag("\"a\"", "W/\"a\""));
  BOOST_TEST(matches_etag("\"x\", W/\"a\"", "\"a\""));
}

BOOST_AUTO_TEST_CASE(a_comma_inside_a_tag_does_not_end_it) {
  BOOST_TEST(matches_etag("\"x,y\", \"a\"", "\"a\""));
  BOOST_TEST(!matches_etag("\"x, a\"", "\"a\""));
}

BOOST_AUTO_TEST_CASE(a_malformed_if_none_match_matches_nothing) {
  for (const char* field : {"", " ", ",", "a", "\"a", "W/", "W/a", "**", "\"", "a\""}) {
    BOOST_TEST(!matches_etag(field, "\"a\""), field);
  }
}

BOOST_AUTO_TEST_CASE(a_digest_is_a_structured_field) {
  BOOST_TEST(goldsmith::web::repr_digest(
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") ==
             "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:");
}

BOOST_AUTO_TEST_SUITE_END()
