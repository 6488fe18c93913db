#include "app/web/request.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "app/base/text.hpp"

using goldsmith::base::percent_decode;
using goldsmith::base::percent_encode;
using goldsmith::web::Parameter;
using goldsmith::web::Query;
using goldsmith::web::raw_query;
using goldsmith::web::split_path;

using Segments = std::vector<std::string>;

namespace {

using Kind = Parameter::Kind;
constexpr std::array<Parameter, 6> kParameters{{{"q"},
                                                {"category"},
                                                {"kind"},
                                                {"page_n"},
                                                {"optimized", Kind::flag},
                                                {"components", Kind::list}}};

Query parsed(std::string_view raw, Query::Repeated repeated = Query::Repeated::last) {
  return Query(raw, kParameters, repeated);
}

long page(std::string_view raw) { return parsed(raw).integer("page_n", 7, 1, 100000); }

}  // namespace

BOOST_AUTO_TEST_SUITE(request)

BOOST_AUTO_TEST_CASE(a_query_is_split_before_it_is_decoded) {
  const Query query = parsed("q=a%26b%3Dc&category=fun");
  BOOST_TEST(query.get("q").value() == "a&b=c");
  BOOST_TEST(query.get("category").value() == "fun");
}

BOOST_AUTO_TEST_CASE(a_plus_in_a_query_is_a_space_and_an_encoded_plus_is_a_plus) {
  BOOST_TEST(parsed("q=a+b%2Bc").get("q").value() == "a b+c");
}

BOOST_AUTO_TEST_CASE(parameter_names_are_decoded_too) {
  BOOST_TEST(parsed("%71=x").get("q").value() == "x");
}

BOOST_AUTO_TEST_CASE(the_last_value_of_a_repeated_parameter_wins) {
  BOOST_TEST(parsed("kind=sma&kind=zip").get("kind").value() == "zip");
}

BOOST_AUTO_TEST_CASE(a_parameter_that_is_empty_counts_as_absent_even_after_a_value) {
  BOOST_TEST(!parsed("q=").get("q"));
  BOOST_TEST(!parsed("q").get("q"));
  BOOST_TEST(!parsed("").get("q"));
  BOOST_TEST(!parsed("q=a&q=").get("q"));
}

BOOST_AUTO_TEST_CASE(a_value_keeps_what_follows_its_first_equals_sign) {
  BOOST_TEST(parsed("q=a=b").get("q").value() == "a=b");
}

BOOST_AUTO_TEST_CASE(nul_and_invalid_utf8_in_a_value_are_kept_as_bytes) {
  BOOST_TEST(parsed("q=a%00b").get("q").value() == std::string_view("a\0b", 3));
  BOOST_TEST(parsed("q=%ff%fe").get("q").value() == "\xff\xfe");
}

BOOST_AUTO_TEST_CASE(integers_have_an_optional_sign_and_digits) {
  BOOST_TEST(page("page_n=12") == 12);
  BOOST_TEST(page("page_n=%2B12") == 12);
  BOOST_TEST(page("page_n=0012") == 12);
  BOOST_TEST(page("page_n=-12") == 1);
}

BOOST_AUTO_TEST_CASE(text_that_is_not_an_integer_means_the_default) {
  for (const char* raw :
       {"", "page_n=", "page_n=x", "page_n=1x", "page_n=1.5", "page_n=-", "page_n=%2B",
        "page_n=%2B-1", "page_n=--1", "page_n=1%00", "page_n=+1", "page_n=0x10", "page_n=%D9%A1"}) {
    BOOST_TEST(page(raw) == 7, raw);
  }
}

BOOST_AUTO_TEST_CASE(an_integer_out_of_range_is_clamped_whatever_its_length) {
  const std::string digits(5000, '9');
  BOOST_TEST(page("page_n=0") == 1);
  BOOST_TEST(page("page_n=100001") == 100000);
  BOOST_TEST(page("page_n=" + digits) == 100000);
  BOOST_TEST(page("page_n=-" + digits) == 1);
  BOOST_TEST(page("page_n=-9223372036854775808") == 1);
}

BOOST_AUTO_TEST_CASE(flags_are_on_for_four_spellings_in_any_letter_case) {
  for (const char* raw : {"optimized=1", "optimized=true", "optimized=YES", "optimized=On"}) {
    BOOST_TEST(parsed(raw).flag("optimized"), raw);
  }
  for (const char* raw : {"", "optimized=", "optimized=0", "optimized=off", "optimized=11",
                          "optimized=true%20", "optimized=on%00"}) {
    BOOST_TEST(!parsed(raw).flag("optimized"), raw);
  }
}

BOOST_AUTO_TEST_CASE(names_that_are_not_declared_are_listed_in_their_order) {
  constexpr auto kDeclared = std::to_array<Parameter>({{"components"}, {"q"}});
  const auto names = [&](std::string_view raw) { return undeclared_names(raw, kDeclared); };
  BOOST_TEST(names("").empty());
  BOOST_TEST(names("components=a&q=&c%6Fmponents=b").empty());
  BOOST_TEST(names("component=a&q=1&p%20q") == (std::vector<std::string>{"component", "p q"}),
             boost::test_tools::per_element());
  BOOST_TEST(names("a&b&c&d&e&f&g&h&i&j").size() == 8U);
}

BOOST_AUTO_TEST_CASE(a_path_is_split_before_it_is_decoded) {
  BOOST_TEST(split_path("/v1/plugins/a%2Fb") == (Segments{"v1", "plugins", "a/b"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_query_is_not_part_of_the_path) {
  BOOST_TEST(split_path("/v1/meta?x=/y/z") == (Segments{"v1", "meta"}),
             boost::test_tools::per_element());
  BOOST_TEST(split_path("/v1/meta%3Fx") == (Segments{"v1", "meta?x"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_trailing_slash_and_a_doubled_one_give_empty_segments) {
  BOOST_TEST(split_path("/v1/meta/") == (Segments{"v1", "meta", ""}),
             boost::test_tools::per_element());
  BOOST_TEST(split_path("//v1/meta") == (Segments{"", "v1", "meta"}),
             boost::test_tools::per_element());
  BOOST_TEST(split_path("/") == (Segments{""}), boost::test_tools::per_element());
  BOOST_TEST(split_path("").empty());
}

BOOST_AUTO_TEST_CASE(dots_and_plus_in_a_path_are_kept) {
  BOOST_TEST(split_path("/v1/../%2e%2e/a+b") == (Segments{"v1", "..", "..", "a+b"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_stray_percent_sign_is_kept) {
  BOOST_TEST(percent_decode("100%") == "100%");
  BOOST_TEST(percent_decode("%4") == "%4");
  BOOST_TEST(percent_decode("%zz%4g%41") == "%zz%4gA");
  BOOST_TEST(percent_decode("%%41") == "%A");
}

BOOST_AUTO_TEST_CASE(decoding_happens_once) { BOOST_TEST(percent_decode("%2541") == "%41"); }

BOOST_AUTO_TEST_CASE(every_byte_survives_encoding_and_decoding) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  BOOST_TEST(percent_decode(percent_encode(bytes)) == bytes);
  BOOST_TEST(percent_decode(percent_encode(bytes), true) == bytes);
}

BOOST_AUTO_TEST_CASE(all_values_of_a_list_of_a_form_count) {
  constexpr const char* kForm = "components=a&components=b%2Cd&kind=1&kind=2&components=";
  const Query form = parsed(kForm, Query::Repeated::joined);
  BOOST_TEST(form.get("components").value() == "a,b,d,");
  BOOST_TEST(form.get("kind").value() == "2");
  BOOST_TEST(!parsed(kForm).get("components"));
}

BOOST_AUTO_TEST_CASE(what_is_not_declared_is_ignored_and_reading_it_is_a_mistake) {
  const Query query = parsed("q=a&other=b&page_n=2");
  BOOST_TEST(query.get("q").value() == "a");
  BOOST_TEST(query.integer("page_n", 1, 1, 9) == 2);
  BOOST_CHECK_THROW(query.get("other"), std::logic_error);
  BOOST_CHECK_THROW(query.integer("per_page", 1, 1, 9), std::logic_error);
  BOOST_CHECK_THROW(Query().flag("optimized"), std::logic_error);
}

BOOST_AUTO_TEST_CASE(a_query_begins_at_the_first_question_mark) {
  BOOST_TEST(raw_query("/v1/plugins?q=a?b") == "q=a?b");
  BOOST_TEST(raw_query("/v1/plugins?") == "");
  BOOST_TEST(raw_query("/v1/plugins") == "");
}

BOOST_AUTO_TEST_SUITE_END()
