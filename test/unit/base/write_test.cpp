#include <boost/test/unit_test.hpp>
#include <limits>

#include "app/base/json.hpp"

using namespace goldsmith::json;
using std::string_literals::operator""s;

BOOST_AUTO_TEST_SUITE(writing)

BOOST_AUTO_TEST_CASE(output_is_compact) {
  const Value value = Object{{"a", Array{1, 2.5, true, nullptr}}, {"b", Object{}}, {"c", Array{}}};
  BOOST_TEST(to_string(value) == R"({"a":[1,2.5,true,null],"b":{},"c":[]})");
}

BOOST_AUTO_TEST_CASE(keys_are_in_ascending_byte_order_at_every_depth) {
  const Value value = parse(R"({"b":{"z":1,"a":2,"Z":3},"é":1,"a_b":1,"a":1,"B":1,"aa":1})");
  BOOST_TEST(to_string(value) == R"({"B":1,"a":1,"a_b":1,"aa":1,"b":{"Z":3,"a":2,"z":1},"é":1})");
}

BOOST_AUTO_TEST_CASE(slashes_and_unicode_are_not_escaped) {
  BOOST_TEST(to_string("https://a/é€😀") == "\"https://a/é€😀\"");
}

BOOST_AUTO_TEST_CASE(control_characters_and_quotes_are_escaped) {
  BOOST_TEST(to_string("\"\\\b\f\n\r\t\x01\x1F\x7F\0x"s) ==
             "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001F\x7F\\u0000x\"");
}

BOOST_AUTO_TEST_CASE(numbers_keep_their_value) {
  using Limits = std::numeric_limits<std::int64_t>;
  BOOST_TEST(to_string(Limits::max()) == "9223372036854775807");
  BOOST_TEST(to_string(Limits::min()) == "-9223372036854775808");
  BOOST_TEST(to_string(4.67) == "4.67");
  BOOST_TEST(to_string(5.0) == "5");
  BOOST_TEST(to_string(0.1) == "0.1");
  for (const double number : {1e300, 5e-324, 1.0 / 3, -0.0, 123456789.125}) {
    BOOST_TEST(*parse(to_string(number)).as_double() == number);
  }
}

BOOST_AUTO_TEST_CASE(infinities_and_nan_become_null) {
  BOOST_TEST(to_string(Array{std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) == "[null,null]");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf8_become_replacement_characters) {
  BOOST_TEST(to_string("a\xFFz") == "\"a\xEF\xBF\xBDz\"");
  BOOST_TEST(to_string("\xE4\xB8") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
  BOOST_TEST(to_string("\xE4\xB8"
                       "A") ==
             "\"\xEF\xBF\xBD\xEF\xBF\xBD"
             "A\"");
  BOOST_TEST(to_string("\xC3\"") == "\"\xEF\xBF\xBD\\\"\"");
  BOOST_TEST(to_string("\xED\xA0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  BOOST_TEST(to_string("é\xC3") == "\"é\xEF\xBF\xBD\"");
  BOOST_TEST(to_string("\xFF\0\xFE"s) == "\"\xEF\xBF\xBD\\u0000\xEF\xBF\xBD\"");
  BOOST_TEST(to_string(Object{{"k\x80", 1}}) == "{\"k\xEF\xBF\xBD\":1}");
}

// Every sequence of up to three of the bytes at which the ranges of UTF-8 begin and end.
BOOST_AUTO_TEST_CASE(any_bytes_give_valid_json) {
  const std::string bytes("a\"\\\0\x1F\x7F\x80\x9F\xA0\xBF\xC0\xC2\xDF\xE0\xED\xEF\xF0\xF4\xF5\xFF",
                          20);
  std::size_t tried = 0;
  for (const char a : bytes) {
    for (const char b : bytes) {
      for (const char c : bytes) {
        const Value read = parse(to_string(std::string{a, b, c}));
        tried += read.as_string() != nullptr ? 1U : 0U;
      }
    }
  }
  BOOST_TEST(tried == 8000U);
}

BOOST_AUTO_TEST_CASE(written_values_parse_back_equal) {
  const Value value = Object{{"list", Array{1, "x\n", Object{{"é", nullptr}}}}, {"on", false}};
  BOOST_TEST((parse(to_string(value)) == value));
  BOOST_TEST((parse(to_pretty_string(value)) == value));
}

BOOST_AUTO_TEST_CASE(pretty_output_is_indented_by_two_spaces) {
  const Value value = Object{{"a", Array{1, Object{{"b", "/"}}}}, {"c", Object{}}, {"d", Array{}}};
  BOOST_TEST(to_pretty_string(value) ==
             "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"/\"\n    }\n  ],\n"
             "  \"c\": {},\n  \"d\": []\n}");
}

BOOST_AUTO_TEST_SUITE_END()
