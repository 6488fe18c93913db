#include "app/pawn/diagnostics.hpp"

#include <boost/test/unit_test.hpp>

#include "app/domain/names.hpp"

using namespace goldsmith::pawn;

namespace {

const std::vector<ShownPath> kPaths{
    {"/job/plugin.sma", "hello.sma"}, {"/job/src/", ""}, {"/job/", ""}, {"/tc/", ""}};

std::string shown(std::string_view raw) { return readable(raw, kPaths, ""); }

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(diagnostics)

BOOST_AUTO_TEST_CASE(errors_and_fatal_errors_are_errors) {
  BOOST_TEST(has_error("x.sma(3) : error 017: undefined symbol \"a\"\n"));
  BOOST_TEST(has_error("x.sma(3) : warning 203: a\nx.sma(2 -- 4) : error 001: b\n"));
  BOOST_TEST(has_error("x.sma(3) : fatal error 100: cannot read from file: \"a\""));
}

BOOST_AUTO_TEST_CASE(an_error_is_known_by_its_message) {
  const std::string text =
      "x.sma(3) : error 017: undefined symbol \"a\"\nx.sma(3) : fatal error 101: cannot write to "
      "file: \"y\"\n";
  BOOST_TEST(has_error(text, "undefined symbol"));
  BOOST_TEST(has_error(text, "cannot write to file"));
  BOOST_TEST(!has_error(text, "insufficient memory"));
  BOOST_TEST(!has_error("cannot write to file", "cannot write to file"));
}

BOOST_AUTO_TEST_CASE(warnings_and_words_are_no_errors) {
  BOOST_TEST(!has_error(""));
  BOOST_TEST(!has_error("x.sma(3) : warning 203: symbol is never used: \"error\"\n"));
  BOOST_TEST(!has_error("an error 017: in the text of something"));
  BOOST_TEST(!has_error("x.sma(3) : error 17"));
  BOOST_TEST(!has_error("x.sma(3) : error "));
}

BOOST_AUTO_TEST_CASE(the_include_that_was_not_found_is_named) {
  BOOST_TEST(missing_include("a.sma(2) : fatal error 100: cannot read from file: \"reapi\"\n") ==
             "reapi");
  BOOST_TEST(missing_include("a.sma(1) : warning 217: loose indentation\n"
                             "b.inc(2 -- 3) : fatal error 183: cannot read from file: \"x/y.inc\"\n"
                             "\nCompilation aborted.") == "x/y.inc");
}

BOOST_AUTO_TEST_CASE(what_is_no_name_of_an_include_is_not_named) {
  BOOST_TEST(missing_include("") == "");
  BOOST_TEST(missing_include("a.sma(2) : error 017: undefined symbol \"reapi\"") == "");
  BOOST_TEST(missing_include("cannot read from file: \"reapi\"") == "");
  BOOST_TEST(missing_include("text: cannot read from file: \"reapi\"") == "");
  for (const char* name : {"/etc/passwd", "../x", "a//b", "a\\b", "a\x01", "\xFF", ""}) {
    BOOST_TEST(
        missing_include(std::string("a.sma(2) : fatal error 100: cannot read from file: \"") +
                        name + "\"\n") == "",
        name);
  }
}

BOOST_AUTO_TEST_CASE(paths_become_those_of_the_plugin) {
  BOOST_TEST(shown("/job/plugin.sma(3) : error 017: a\n/job/src/my.inc(4) : error 001: b\n") ==
             "hello.sma(3) : error 017: a\nmy.inc(4) : error 001: b");
  BOOST_TEST(shown("/tc/include/float.inc(9) : warning 203: c") ==
             "include/float.inc(9) : warning 203: c");
}

BOOST_AUTO_TEST_CASE(a_prefix_in_the_middle_of_a_path_stays) {
  BOOST_TEST(shown("cannot read from file: \"/srv/job/src/x\"") ==
             "cannot read from file: \"/srv/job/src/x\"");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf8_are_replaced) {
  BOOST_TEST(shown("a\xFF\xFEz \xD0\x9F \xE2\x82") ==
             "a\xEF\xBF\xBD\xEF\xBF\xBDz \xD0\x9F \xEF\xBF\xBD\xEF\xBF\xBD");
  BOOST_TEST(shown("\xED\xA0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

BOOST_AUTO_TEST_CASE(carriage_returns_and_nuls_go) {
  BOOST_TEST(shown(std::string_view("a\r\nb\0c\n", 7)) == "a\nbc");
}

BOOST_AUTO_TEST_CASE(long_text_ends_behind_a_whole_line) {
  std::string raw;
  for (int i = 0; i < 1000; ++i) raw += "hello.sma(1) : warning 203: \xD0\x9F\n";
  const std::string text = readable(raw, {}, "");
  BOOST_TEST(code_points(text) <= kMaxOutput);
  BOOST_TEST(code_points(text) > kMaxOutput - 64);
  BOOST_TEST(text.ends_with(": \xD0\x9F"));
}

BOOST_AUTO_TEST_CASE(one_line_longer_than_the_cap_is_cut_at_a_code_point) {
  std::string raw;
  for (int i = 0; i < 5000; ++i) raw += "\xF0\x9F\x98\x80";
  const std::string text = readable(raw, {}, "");
  BOOST_TEST(code_points(text) == kMaxOutput);
  BOOST_TEST(goldsmith::domain::is_utf8(text));
}

BOOST_AUTO_TEST_CASE(the_last_line_is_kept_whole_under_the_cap) {
  const std::string last = "The compiler was stopped.";
  const std::string text = readable(std::string(9000, 'x'), {}, last);
  BOOST_TEST(code_points(text) == kMaxOutput);
  BOOST_TEST(text.ends_with("x\n" + last));
  BOOST_TEST(readable("", {}, last) == last);
  BOOST_TEST(readable("one\n\n", {}, last) == "one\n" + last);
}

BOOST_AUTO_TEST_CASE(the_first_three_errors_are_told) {
  BOOST_TEST(first_errors("") == "");
  BOOST_TEST(first_errors("a.sma(1) : warning 203: unused") == "a.sma(1) : warning 203: unused");
  BOOST_TEST(first_errors("a.sma(1) : warning 203: x\nThe compiler was stopped.") ==
             "The compiler was stopped.");
  const std::string error = "a.sma(1) : error 017: undefined symbol \"x\"";
  BOOST_TEST(first_errors("a.sma(1) : warning 203: x\n" + error) == error);
  BOOST_TEST(first_errors(error + "\n" + error + "\n" + error + "\n" + error) ==
             error + "\n" + error + "\n" + error);
  BOOST_TEST(first_errors(readable(error + "\t\x1b[1m", {}, "")) == error + " [1m");
  BOOST_TEST(first_errors(error + std::string(300, 'x')).size() == 200U);
}

BOOST_AUTO_TEST_SUITE_END()
