#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using Tokens = std::vector<Token>;

Tokens components_of(std::string_view text) {
  const SelectionRequest request = parse_selection_request(text, std::nullopt, false);
  BOOST_REQUIRE(request.components.has_value());
  return *request.components;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(selection_request)

BOOST_AUTO_TEST_CASE(absent_components_mean_the_recommended_stack) {
  const SelectionRequest request = parse_selection_request(std::nullopt, std::nullopt, false);
  BOOST_TEST(!request.components.has_value());
  BOOST_TEST(request.plugins.empty());
  BOOST_TEST(!request.optimized);
}

BOOST_AUTO_TEST_CASE(empty_components_mean_the_recommended_stack_too) {
  BOOST_TEST(!parse_selection_request("", std::nullopt, false).components.has_value());
}

BOOST_AUTO_TEST_CASE(components_without_a_token_are_an_empty_selection) {
  for (const std::string_view text : {",", " ", " , ,", ",,,,"}) {
    BOOST_TEST(components_of(text).empty(), "for \"" << text << '"');
  }
}

BOOST_AUTO_TEST_CASE(tokens_are_split_on_commas_trimmed_and_sorted) {
  BOOST_TEST((components_of(" zeta ,\talpha@1.0 ,, beta ") ==
              Tokens{{"alpha", "1.0"}, {"beta", ""}, {"zeta", ""}}));
}

BOOST_AUTO_TEST_CASE(equal_tokens_are_collapsed) {
  BOOST_TEST((components_of("a,b@1,a,b@1,b@2") == Tokens{{"a", ""}, {"b", "1"}, {"b", "2"}}));
}

BOOST_AUTO_TEST_CASE(a_slug_with_an_at_sign_and_no_version_is_unpinned) {
  BOOST_TEST((components_of("a@") == Tokens{{"a", ""}}));
  BOOST_TEST((components_of("a@ ") == Tokens{{"a", ""}}));
  BOOST_TEST((components_of("a@,a") == Tokens{{"a", ""}}));
}

BOOST_AUTO_TEST_CASE(a_version_starts_after_the_first_at_sign) {
  BOOST_TEST((components_of("a@1@2") == Tokens{{"a", "1@2"}}));
  BOOST_TEST((components_of("@1") == Tokens{{"", "1"}}));
}

BOOST_AUTO_TEST_CASE(plugins_are_sorted_and_unique) {
  const SelectionRequest request = parse_selection_request(std::nullopt, "b, a ,b,,c", true);
  BOOST_TEST((request.plugins == Tokens{{"a", ""}, {"b", ""}, {"c", ""}}));
  BOOST_TEST(request.optimized);
}

BOOST_AUTO_TEST_CASE(of_several_pins_of_a_plugin_the_last_in_their_order_stays) {
  const SelectionRequest request =
      parse_selection_request(std::nullopt, "b,a@1.9,a,a@1.10,a@1.2, b@ ,c@x@y", false);
  BOOST_TEST((request.plugins == Tokens{{"a", "1.10"}, {"b", ""}, {"c", "x@y"}}));
  const SelectionRequest unfinished =
      parse_selection_request(std::nullopt, "a,a@rc1,b@1.2,b@1.2-rc1,b", false);
  BOOST_TEST((unfinished.plugins == Tokens{{"a", "rc1"}, {"b", "1.2"}}));
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf_8_become_replacement_characters) {
  BOOST_TEST((components_of("a\xFF\xFE"
                            "b@\x80") == Tokens{{"a\xEF\xBF\xBD"
                                                 "b",
                                                 "\xEF\xBF\xBD"}}));
  const SelectionRequest request = parse_selection_request(std::nullopt, "\xC3", false);
  BOOST_TEST((request.plugins == Tokens{{"\xEF\xBF\xBD", ""}}));
}

BOOST_AUTO_TEST_CASE(a_nul_byte_and_text_in_any_script_are_kept) {
  const std::string_view text("a\0b,\xD0\xBF", 6);
  BOOST_TEST((components_of(text) == Tokens{{std::string("a\0b", 3), ""}, {"\xD0\xBF", ""}}));
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_tokens_are_parsed) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "slug-" + std::to_string(i % 50'000) + ",";
  BOOST_TEST(components_of(text).size() == 50'000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
