#include "app/domain/names.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace goldsmith::domain;
using std::string_literals::operator""s;

BOOST_AUTO_TEST_SUITE(names)

BOOST_AUTO_TEST_CASE(a_file_name_may_hold_any_printable_text) {
  for (const auto& text : {"a.sma"s, "..."s, ".a"s, "a b'\"<>:*?|.txt"s, "плагин.sma"s, "\xC2\xA0"s,
                           std::string(255, 'a')}) {
    BOOST_TEST(is_file_name(text), text);
  }
}

BOOST_AUTO_TEST_CASE(a_file_name_can_not_leave_its_folder_or_hide_control_characters) {
  for (const auto& text : {""s, "."s, ".."s, "a/b"s, "/a"s, "a\\b"s, "a\0b"s, "a\nb"s, "a\x7F"s,
                           "a\xC2\x85"s, "a\xC2\x9Fz"s, "a\xC2"s, "\xFF"s, std::string(256, 'a')}) {
    BOOST_TEST(!is_file_name(text), text);
  }
}

BOOST_AUTO_TEST_CASE(the_length_of_a_file_name_counts_bytes) {
  std::string name;
  for (int i = 0; i < 127; ++i) name += "é";
  BOOST_TEST(is_file_name(name));        // 254 bytes
  BOOST_TEST(is_file_name(name + "a"));  // 255
  BOOST_TEST(!is_file_name(name + "é"));
}

BOOST_AUTO_TEST_CASE(an_install_dir_is_file_names_joined_by_slashes_or_empty) {
  for (const auto& text : {""s, "addons"s, "addons/amxmodx/scripting"s, "карты/de dust"s}) {
    BOOST_TEST(is_relative_path(text), text);
  }
  for (const auto& text : {"/"s, "/addons"s, "addons/"s, "a//b"s, "../a"s, "a/.."s, "a/../b"s,
                           "./a"s, "a/."s, "a\\..\\b"s, "a/\xFF"s, "a/b\0"s, "C:\\a"s}) {
    BOOST_TEST(!is_relative_path(text), text);
  }
}

BOOST_AUTO_TEST_CASE(the_ends_of_every_utf8_range_are_accepted) {
  for (const auto& text :
       {""s, "a\0b"s, "\x7F"s, "\xC2\x80"s, "\xDF\xBF"s, "\xE0\xA0\x80"s, "\xED\x9F\xBF"s,
        "\xEE\x80\x80"s, "\xEF\xBF\xBF"s, "\xF0\x90\x80\x80"s, "\xF4\x8F\xBF\xBF"s}) {
    BOOST_TEST(is_utf8(text));
  }
}

BOOST_AUTO_TEST_CASE(malformed_utf8_is_refused) {
  const std::vector<std::string> cases = {"\x80",              // a continuation alone
                                          "\xC0\x80",          // overlong NUL
                                          "\xC1\xBF",          // overlong
                                          "\xE0\x9F\xBF",      // overlong
                                          "\xF0\x8F\xBF\xBF",  // overlong
                                          "\xED\xA0\x80",      // a surrogate
                                          "\xED\xBF\xBF",      // a surrogate
                                          "\xF4\x90\x80\x80",  // over U+10FFFF
                                          "\xF5\x80\x80\x80",
                                          "\xFE",
                                          "\xC3",
                                          "\xE2\x82",
                                          "\xF0\x9F\x98",  // cut off
                                          "\xC3(",
                                          "\xE2\x28\xA1",
                                          "\xE2\x82\x28",
                                          "ok\xFFok"};
  for (const auto& text : cases) BOOST_TEST(!is_utf8(text));
}

// Every code point, encoded here by the definition, against what the surrogates' gap says.
BOOST_AUTO_TEST_CASE(every_code_point_but_the_surrogates_is_utf8) {
  std::size_t wrong = 0;
  for (unsigned code = 0x10000; code-- > 0x800;) {
    const std::string text = {static_cast<char>(0xE0U | (code >> 12U)),
                              static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)),
                              static_cast<char>(0x80U | (code & 0x3FU))};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    wrong += is_utf8(text) == surrogate ? 1U : 0U;
  }
  BOOST_TEST(wrong == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
