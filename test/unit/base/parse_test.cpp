#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "app/base/json.hpp"

using namespace goldsmith::json;
using std::string_literals::operator""s;

namespace {

std::string error_of(std::string_view text) {
  try {
    parse(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(parsing)

BOOST_AUTO_TEST_CASE(every_type_is_parsed) {
  const Value value =
      parse(R"( {"n":null,"t":true,"f":false,"i":-7,"d":2.5,"s":"x","a":[1,[]],"o":{"k":{}}} )");
  const Object expected = {{"n", nullptr},
                           {"t", true},
                           {"f", false},
                           {"i", -7},
                           {"d", 2.5},
                           {"s", "x"},
                           {"a", Array{1, Array{}}},
                           {"o", Object{{"k", Object{}}}}};
  BOOST_TEST((value == Value(expected)));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_need_not_be_thrown) {
  BOOST_TEST((parsed(R"({"a":[1,2.5]})") == parse(R"({"a":[1,2.5]})")));
  for (const std::string_view text : {"", "{", "1e999", R"({"a":1,"a":2})", "1 2"}) {
    BOOST_TEST(!parsed(text).has_value(), text);
    BOOST_TEST(error_of(text) != "no error", text);
  }
}

BOOST_AUTO_TEST_CASE(a_document_may_be_a_single_value) {
  BOOST_TEST((parse("null") == Value()));
  BOOST_TEST((parse("\"\"") == Value("")));
  BOOST_TEST((parse(" 12\n") == Value(12)));
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_is_accepted) {
  BOOST_TEST((parse("\xEF\xBB\xBF{}") == Value(Object{})));
  BOOST_TEST(error_of("\xEF\xBB\xBF\xEF\xBB\xBF{}") == "line 1, column 1: invalid value.");
}

BOOST_AUTO_TEST_CASE(integers_are_parsed_in_their_full_range) {
  using Limits = std::numeric_limits<std::int64_t>;
  BOOST_TEST((parse("9223372036854775807") == Value(Limits::max())));
  BOOST_TEST((parse("-9223372036854775808") == Value(Limits::min())));
  BOOST_TEST((parse("-0") == Value(0)));
}

BOOST_AUTO_TEST_CASE(an_integer_beyond_64_bits_is_rejected_not_rounded) {
  for (const auto& text : {"9223372036854775808"s, "-9223372036854775809"s, "18446744073709551616"s,
                           std::string(400, '9')}) {
    BOOST_CHECK_THROW(parse(text), ParseError);
    BOOST_CHECK_THROW(parse("[" + text + "]"), ParseError);
  }
  BOOST_TEST(error_of("[1, 9223372036854775808]").find("9223372036854775808 is out of range") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(decimals_are_parsed_exactly) {
  BOOST_TEST(*parse("0.1").as_double() == 0.1);
  BOOST_TEST(*parse("1e2").as_double() == 100.0);
  BOOST_TEST(*parse("2.2250738585072014e-308").as_double() == 2.2250738585072014e-308);
  BOOST_TEST(*parse("1.7976931348623157e308").as_double() == std::numeric_limits<double>::max());
  BOOST_TEST(*parse("0.30000000000000004").as_double() == 0.30000000000000004);
  BOOST_TEST(std::signbit(*parse("-0.0").as_double()));
}

BOOST_AUTO_TEST_CASE(a_decimal_too_large_for_a_double_is_rejected) {
  BOOST_CHECK_THROW(parse("1e309"), ParseError);
  BOOST_CHECK_THROW(parse("[-1e999999999999]"), ParseError);
}

BOOST_AUTO_TEST_CASE(invalid_json_is_rejected) {
  for (const auto& text :
       {""s,      " "s,       "{"s,       "}"s,       "[1"s,        "[1,]"s,      "{\"a\":1,}"s,
        "{a:1}"s, "{'a':1}"s, "[1 2]"s,   "01"s,      "+1"s,        ".5"s,        "1."s,
        "1e"s,    "-"s,       "0x1"s,     "NaN"s,     "Infinity"s,  "-Infinity"s, "tru"s,
        "TRUE"s,  "nul"s,     "\"a"s,     "\"\\x\""s, "\"\\u12\""s, "\"a\nb\""s,  "\"a\tb\""s,
        "1 2"s,   "{}{}"s,    "// c\n1"s, "/**/1"s,   "{\"a\"}"s,   "{\"a\":}"s,  "{1:2}"s,
        "[,]"s,   "\xA0"s}) {
    BOOST_CHECK_THROW(parse(text), ParseError);
  }
}

BOOST_AUTO_TEST_CASE(a_nul_byte_does_not_end_the_document) {
  BOOST_CHECK_THROW(parse("{}\0garbage"s), ParseError);
  BOOST_CHECK_THROW(parse("{}\0"s), ParseError);
  BOOST_CHECK_THROW(parse("\0"s), ParseError);
  BOOST_CHECK_THROW(parse("\"a\0b\""s), ParseError);
}

BOOST_AUTO_TEST_CASE(escapes_are_decoded) {
  BOOST_TEST((parse(R"("\"\\\/\b\f\n\r\t")") == Value("\"\\/\b\f\n\r\t")));
  BOOST_TEST((parse(R"("\u0041\u00e9\u20ac\ud83d\ude00")") == Value("Aé€😀")));
  BOOST_TEST((parse(R"("a\u0000b")") == Value("a\0b"s)));
}

BOOST_AUTO_TEST_CASE(lone_surrogates_are_rejected) {
  for (const auto* text : {R"("\ud800")", R"("\ud800x")", R"("\ud800\ud800")", R"("\udc00")",
                           R"("\udfff\ud800")", R"({"\udc00":1})"}) {
    BOOST_CHECK_THROW(parse(text), ParseError);
  }
  BOOST_TEST((parse(R"("\ud7ff")") == Value("\xED\x9F\xBF")));
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf8_are_rejected) {
  for (const auto* text : {"\"\xFF\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"",
                           "\"\xC3\"", "{\"\x80\":1}"}) {
    BOOST_CHECK_THROW(parse(text), ParseError);
  }
}

BOOST_AUTO_TEST_CASE(a_repeated_key_is_rejected_at_its_second_occurrence) {
  BOOST_TEST(error_of("{\"a\":1,\n \"b\":{\"a\":2},\n \"a\":3}") ==
             "line 3, column 5: the key \"a\" is repeated");
  BOOST_TEST(error_of(R"({"a":1,"\u0061":2})") == "line 1, column 16: the key \"a\" is repeated");
  BOOST_TEST((parse(R"([{"a":1},{"a":1}])") == Value(Array{Object{{"a", 1}}, Object{{"a", 1}}})));
}

BOOST_AUTO_TEST_CASE(nesting_is_limited) {
  const auto nested = [](std::size_t depth, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "1";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  BOOST_CHECK_NO_THROW(parse(nested(64, "[", "]")));
  BOOST_CHECK_NO_THROW(parse(nested(64, "{\"a\":", "}")));
  BOOST_TEST(error_of(nested(65, "[", "]")) == "line 1, column 65: nested deeper than 64 levels");
  BOOST_CHECK_THROW(parse(nested(65, "{\"a\":", "}")), ParseError);
}

BOOST_AUTO_TEST_CASE(hostile_nesting_does_not_exhaust_the_stack) {
  BOOST_CHECK_THROW(parse(std::string(20'000'000, '[')), ParseError);
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  BOOST_CHECK_THROW(parse(objects), ParseError);
}

BOOST_AUTO_TEST_CASE(an_error_names_line_and_column_in_characters) {
  BOOST_TEST(error_of("{\n  \"é\" 1\n}") ==
             "line 2, column 7: missing a colon after a name of object member.");
  BOOST_TEST(error_of("") == "line 1, column 1: the document is empty.");
  BOOST_TEST(error_of("[\r\n1,\r\n]").starts_with("line 3, column 1: "));
  BOOST_TEST(error_of("[1\n").starts_with("line 2, column 1: "));
}

BOOST_AUTO_TEST_SUITE_END()
