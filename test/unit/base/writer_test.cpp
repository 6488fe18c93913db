// JSON written piece by piece is what the same values give.
#include "app/base/json.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <stdexcept>

#include "app/base/json.hpp"

using goldsmith::json::Array;
using goldsmith::json::Object;
using goldsmith::json::Value;
using goldsmith::json::Writer;

namespace {

std::string written(std::string_view text) {
  Writer writer;
  writer.value(text);
  return writer.take();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(writer)

BOOST_AUTO_TEST_CASE(a_document_is_that_of_the_same_values) {
  Writer writer;
  writer.begin_object();
  writer.member("a", std::string("x"));
  writer.key("b");
  writer.begin_array();
  writer.value(1);
  writer.value(-2.5);
  writer.begin_object();
  writer.member("inner", true);
  writer.end_object();
  writer.end_array();
  writer.member("c", std::numeric_limits<std::int64_t>::min());
  writer.member("d", "");
  writer.member("e", std::numeric_limits<double>::infinity());
  writer.end_object();
  const Value same = Object{{"a", "x"},
                            {"b", Array{1, -2.5, Object{{"inner", true}}}},
                            {"c", std::numeric_limits<std::int64_t>::min()},
                            {"d", ""},
                            {"e", std::numeric_limits<double>::infinity()}};
  BOOST_TEST(writer.take() == goldsmith::json::to_string(same));
}

BOOST_AUTO_TEST_CASE(hostile_texts_are_written_as_values_are) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {"plain"sv, "\"\\/\n\x01\x7f"sv, "nul\0nul"sv, "ПРИВЕТ \xF0\x9F\x92\xA3"sv, "\xFF\xFE"sv,
        "cut \xD0"sv, "\xED\xA0\x80 surrogate"sv, "\xC0\xAF overlong"sv, "a\x80\x80z"sv, ""sv}) {
    BOOST_TEST(written(text) == goldsmith::json::to_string(Value(text)));
  }
}

BOOST_AUTO_TEST_CASE(keys_out_of_order_are_an_error) {
  Writer writer;
  writer.begin_object();
  writer.member("b", 1);
  BOOST_CHECK_THROW(writer.key("a"), std::logic_error);
  BOOST_CHECK_THROW(writer.key("b"), std::logic_error);
  writer.key("c");
  writer.begin_object();  // its keys are its own
  writer.member("a", 1);
  writer.end_object();
  writer.member("d", 1);
  writer.end_object();
  BOOST_TEST(writer.take() == R"({"b":1,"c":{"a":1},"d":1})");
}

BOOST_AUTO_TEST_SUITE_END()
