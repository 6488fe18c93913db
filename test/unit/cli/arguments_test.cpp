#include <boost/test/unit_test.hpp>

#include "test/support/utc.hpp"

#include "app/cli/command.hpp"

namespace goldsmith::cli {
namespace {

const Verb& sample() {
  static const Verb verb{
      .name = "do",
      .summary = "Does.",
      .text = "Does it.",
      .positionals = {{.name = "FIRST"}, {.name = "REST", .required = false, .repeated = true}},
      .options = {{.name = "switch", .help = "S."},
                  {.name = "one", .value_name = "V", .help = "O."},
                  {.name = "many", .value_name = "V", .help = "M.", .repeated = true},
                  {.name = "number", .value_name = "N", .help = "N."}},
  };
  return verb;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(arguments)

BOOST_AUTO_TEST_CASE(positionals_and_options_mix_in_any_order) {
  const Arguments given =
      parse_arguments(sample(), {"--one", "1", "a", "--switch", "b", "c", "--many", "x", "y"});
  BOOST_TEST(given.text("FIRST") == "a");
  BOOST_TEST(given.list("REST") == (std::vector<std::string>{"b", "c"}));
  BOOST_TEST(given.text("one") == "1");
  BOOST_TEST(given.has("switch"));
  BOOST_TEST(given.list("many") == (std::vector<std::string>{"x", "y"}));
  BOOST_TEST(!given.has("number"));
}

BOOST_AUTO_TEST_CASE(a_repeated_option_collects_its_values) {
  const Arguments given = parse_arguments(sample(), {"a", "--many=x", "--many", "y", "z"});
  BOOST_TEST(given.list("many") == (std::vector<std::string>{"x", "y", "z"}));
}

BOOST_AUTO_TEST_CASE(behind_two_dashes_everything_is_a_name) {
  const Arguments given = parse_arguments(sample(), {"--", "--switch", "--one"});
  BOOST_TEST(given.text("FIRST") == "--switch");
  BOOST_TEST(given.list("REST") == std::vector<std::string>{"--one"});
  BOOST_TEST(!given.has("switch"));
}

BOOST_AUTO_TEST_CASE(a_negative_number_is_a_value) {
  const Arguments given =
      parse_arguments(sample(), {"-1", "--number", "-5", "-2x", "--many", "-3"});
  BOOST_TEST(given.text("FIRST") == "-1");
  BOOST_TEST(given.list("REST") == std::vector<std::string>{"-2x"});
  BOOST_TEST(given.integer("number", -5, 0) == -5);
  BOOST_TEST(given.list("many") == std::vector<std::string>{"-3"});
  BOOST_CHECK_THROW(parse_arguments(sample(), {"-x"}), UsageError);
}

BOOST_AUTO_TEST_CASE(a_switch_takes_no_value) {
  BOOST_CHECK_THROW(parse_arguments(sample(), {"a", "--switch=on"}), UsageError);
  BOOST_TEST(parse_arguments(sample(), {"a", "--switch", "on"}).list("REST") ==
             std::vector<std::string>{"on"});
}

BOOST_AUTO_TEST_CASE(the_name_of_a_positional_is_no_option) {
  BOOST_CHECK_THROW(parse_arguments(sample(), {"--FIRST", "a"}), UsageError);
}

BOOST_AUTO_TEST_CASE(numbers_are_whole_and_within_their_bounds) {
  const auto number = [](const std::string& text) {
    return parse_arguments(sample(), {"a", "--number=" + text}).integer("number", -5, 10);
  };
  BOOST_TEST(number("-5") == -5);
  BOOST_TEST(number("10") == 10);
  for (const std::string text :
       {"11", "-6", "x", "1x", "1.0", "+1", " 1", "99999999999999999999999"}) {
    BOOST_CHECK_THROW(number(text), UsageError);
  }
}

BOOST_AUTO_TEST_CASE(times_are_normalised_to_utc) {
  const Arguments given = parse_arguments(sample(), {"a", "--one", "2024-05-01T12:00:00+02:00"});
  BOOST_TEST(given.time("one") == "2024-05-01 10:00:00"_utc);
  BOOST_TEST(!given.time("number"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli
