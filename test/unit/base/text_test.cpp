#include "app/base/text.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>

using namespace goldsmith::base;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(sizes_have_two_digits_and_a_unit) {
  BOOST_TEST(readable_size(0) == "0 bytes");
  BOOST_TEST(readable_size(1) == "1 byte");
  BOOST_TEST(readable_size(999) == "999 bytes");
  BOOST_TEST(readable_size(1000) == "1.0 KB");
  BOOST_TEST(readable_size(9'940) == "9.9 KB");
  BOOST_TEST(readable_size(9'960) == "10 KB");
  BOOST_TEST(readable_size(999'499) == "999 KB");
  BOOST_TEST(readable_size(999'500) == "1.0 MB");
  BOOST_TEST(readable_size(23'400'000) == "23 MB");
  BOOST_TEST(readable_size(UINT64_MAX) == "18447 PB");
  BOOST_TEST(binary_size(0) == "0 bytes");
  BOOST_TEST(binary_size(1) == "1 byte");
  BOOST_TEST(binary_size(1023) == "1023 bytes");
  BOOST_TEST(binary_size(1024) == "1 KiB");
  BOOST_TEST(binary_size(256U << 10U) == "256 KiB");
  BOOST_TEST(binary_size((16U << 20U) + 1) == "16 MiB");
}

BOOST_AUTO_TEST_CASE(a_number_is_taken_with_the_space_behind_it) {
  std::string_view text = "12 34  x";
  BOOST_TEST(take_number(text).value() == 12U);
  BOOST_TEST(take_number(text).value() == 34U);
  BOOST_TEST(!take_number(text));
  BOOST_TEST(text == " x");
  for (std::string_view none : {"", "x", "1x", "-1", "99999999999999999999999"}) {
    BOOST_TEST(!take_number(none), none);
  }
  BOOST_TEST(parse_number("ff", 16).value() == 255U);
  BOOST_TEST(!parse_number("fg", 16));
}

BOOST_AUTO_TEST_CASE(letter_case_folds_in_every_script) {
  BOOST_TEST(fold_case("ПРИВЕТ") == fold_case("привет"));
  BOOST_TEST(fold_case("ΣΊΣΥΦΟΣ") == fold_case("σίσυφος"));  // the final sigma too
  BOOST_TEST(fold_case("ÇĞÖŞÜ") == fold_case("çğöşü"));
  BOOST_TEST(fold_case("STRASSE") == fold_case("straße"));
  BOOST_TEST(fold_case("\u1FFC\u0338") == fold_case("\u03C9\u0338\u0345"));
  BOOST_TEST(fold_case("AMX Mod X 1.10") == "amx mod x 1.10");
  BOOST_TEST(fold_case("") == "");
}

BOOST_AUTO_TEST_CASE(composed_and_decomposed_accents_fold_to_the_same_bytes) {
  BOOST_TEST(fold_case("Cafe\xCC\x81") == fold_case("CAFÉ"));
  BOOST_TEST(fold_case("\xD0\xB8\xCC\x86") == fold_case("Й"));
  BOOST_TEST(fold_case("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB") == fold_case("한"));
}

BOOST_AUTO_TEST_CASE(letters_with_and_without_accents_stay_different) {
  BOOST_TEST(fold_case("é") != fold_case("e"));
  BOOST_TEST(fold_case("й") != fold_case("и"));
  BOOST_TEST(fold_case("ø") != fold_case("o"));
}

BOOST_AUTO_TEST_CASE(what_is_folded_stays_as_it_is) {
  for (const auto* each : {"ПРИВЕТ", "İstanbul", "straße", "ǅ", "ﬁ", "ΐ", "\xCD\x85"}) {
    const std::string once = fold_case(each);
    BOOST_TEST(fold_case(once) == once);
  }
}

BOOST_AUTO_TEST_CASE(a_nul_does_not_end_the_text_to_fold) {
  BOOST_TEST((fold_case(std::string_view("A\0B", 3)) == std::string_view("a\0b", 3)));
}

BOOST_AUTO_TEST_CASE(folding_what_is_not_utf8_is_an_error_of_the_caller) {
  BOOST_CHECK_THROW(fold_case("\xFF"), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(words_are_runs_of_letters_accents_and_digits) {
  BOOST_TEST(folded_words("") == "");
  BOOST_TEST(folded_words(" -_,. \n") == "");
  BOOST_TEST(folded_words("AFK Kicker 2.0") == "afk kicker 2 0");
  BOOST_TEST(folded_words("[\"amx_gag\", \"say /ungag\"]") == "amx gag say ungag");
  BOOST_TEST(folded_words("«ПРИВЕТ», Straße… Cafe\xCC\x81!") == "привет strasse café");
  BOOST_TEST(folded_words("禁言 हिन्दी ٣🔥x") == "禁言 हिन्दी ٣ x");
  BOOST_TEST(folded_words(std::string_view("a\0b\x1f"
                                           "c",
                                           5)) == "a b c");
  for (const char* text : {"ПРИВЕТ мир", "amx_gag", "Cafe\xCC\x81 ﬁ"}) {
    BOOST_TEST(folded_words(folded_words(text)) == folded_words(text));
  }
}

BOOST_AUTO_TEST_CASE(the_first_code_points_are_whole_characters) {
  BOOST_TEST(first_code_points("aé€😀z", 0) == "");
  BOOST_TEST(first_code_points("aé€😀z", 2) == "aé");
  BOOST_TEST(first_code_points("aé€😀z", 4) == "aé€😀");
  BOOST_TEST(first_code_points("aé€😀z", 5) == "aé€😀z");
  BOOST_TEST(first_code_points("aé€😀z", 100) == "aé€😀z");
  BOOST_TEST(first_code_points("", 3) == "");
}

BOOST_AUTO_TEST_CASE(white_space_of_unicode_is_trimmed_at_both_ends_alone) {
  BOOST_TEST(trim(" \t\r\n\v\f a b \n") == "a b");
  BOOST_TEST(trim("\xC2\xA0\xE3\x80\x80\xE2\x80\xA8\xC2\x85x\xE2\x80\x83") == "x");
  BOOST_TEST(trim("é\xC2\xA0") == "é");
  BOOST_TEST(trim(" \xE2\x80\x83 ") == "");
  BOOST_TEST(trim("") == "");
}

BOOST_AUTO_TEST_CASE(characters_without_width_are_no_white_space) {
  BOOST_TEST(trim("\xE2\x80\x8Bx") == "\xE2\x80\x8Bx");  // U+200B
  BOOST_TEST(trim("\x1Fx") == "\x1Fx");
}

BOOST_AUTO_TEST_CASE(ascii_letters_alone_become_lower_case) {
  BOOST_TEST(to_lower_ascii("aZ[@`{-09") == "az[@`{-09");
  BOOST_TEST(to_lower_ascii("É\xC4") == "É\xC4");
  BOOST_TEST(to_lower_ascii("") == "");
}

BOOST_AUTO_TEST_CASE(only_the_case_of_ascii_letters_is_ignored) {
  BOOST_TEST(equals_ignoring_case("Content-LENGTH", "content-length"));
  BOOST_TEST(equals_ignoring_case("", ""));
  BOOST_TEST(!equals_ignoring_case("a", "ab"));
  BOOST_TEST(!equals_ignoring_case("ab", "a"));
  BOOST_TEST(!equals_ignoring_case("[", "{"));
  BOOST_TEST(!equals_ignoring_case("\xC3\x84", "\xC3\xA4"));
}

BOOST_AUTO_TEST_CASE(a_switch_is_one_of_eight_words_in_any_letter_case) {
  for (const char* text : {"on", "True", "YES", "1"}) BOOST_TEST(parse_switch(text).value());
  for (const char* text : {"off", "False", "NO", "0"}) BOOST_TEST(!parse_switch(text).value());
  for (const char* text : {"", "2", "on ", "maybe"}) BOOST_TEST(!parse_switch(text).has_value());
}

BOOST_AUTO_TEST_CASE(ascii_white_space_is_trimmed_from_any_bytes) {
  BOOST_TEST(trim_ascii(" \t\xFF a\xC2\xA0\n") == "\xFF a\xC2\xA0");
  BOOST_TEST(trim_ascii(" \n ") == "");
  BOOST_TEST(trim_ascii("") == "");
  BOOST_TEST(trim_ascii("x") == "x");
}

BOOST_AUTO_TEST_CASE(percent_encoding_keeps_unreserved_and_listed_characters) {
  BOOST_TEST(percent_encode("aZ09-._~") == "aZ09-._~");
  BOOST_TEST(percent_encode("a b/c@\xC3\xA9'") == "a%20b%2Fc%40%C3%A9%27");
  BOOST_TEST(percent_encode("a,b@1 /", ",@") == "a,b@1%20%2F");
}

BOOST_AUTO_TEST_CASE(splitting_keeps_empty_pieces) {
  using Pieces = std::vector<std::string_view>;
  const auto per_element = boost::test_tools::per_element();
  BOOST_TEST(split("a,b", ',') == (Pieces{"a", "b"}), per_element);
  BOOST_TEST(split(",a,,", ',') == (Pieces{"", "a", "", ""}), per_element);
  BOOST_TEST(split("", ',') == (Pieces{""}), per_element);
  BOOST_TEST(split("a", ',') == (Pieces{"a"}), per_element);
}

BOOST_AUTO_TEST_CASE(the_four_letters_i_fold_alike) {
  for (const char* name : {"istanbul", "ISTANBUL", "İSTANBUL", "ıstanbul", "i\u0307stanbul"}) {
    BOOST_TEST(fold_case(name) == "istanbul");
    BOOST_TEST(folded_words(name) == "istanbul");
  }
  BOOST_TEST(fold_case("IŞIK") == fold_case("ışık"));
  BOOST_TEST(fold_case("ı\u0301") == fold_case("Í"));
  BOOST_TEST(fold_case("ﬁ\u0307\u0307") == "fi");
  BOOST_TEST(fold_case("j\u0307") == "j\u0307");
  BOOST_TEST(fold_case("ï") != fold_case("i"));
}

BOOST_AUTO_TEST_CASE(printable_text_has_nothing_that_terminals_or_xml_obey_or_refuse) {
  for (const char* text : {"", "a b", "é禁🔥", "e\u0301", "שלום\u200F", "\uFFFD", "a\u00ADb"}) {
    BOOST_TEST(is_printable(text), text);
    BOOST_TEST(printable(text) == text);
  }
  for (const char* text :
       {"\x01", "a\tb", "a\n", "\x7F", "\u0080", "\u009B", "\u202A", "\u202E", "\u2066", "\u2069",
        "\u2028", "\u2029", "\uFDD0", "\uFFFE", "\uFFFF", "\U0010FFFF", "\xFF", "\xED\xA0\x80"}) {
    BOOST_TEST(!is_printable(text), printable(text));
    BOOST_TEST(is_printable(printable(text)), printable(text));
  }
  BOOST_TEST(!is_printable(std::string_view("\0", 1)));
  BOOST_TEST(is_printable("a\n\tb", "\n\t"));
  BOOST_TEST(!is_printable("a\n\tb", "\t"));
  BOOST_TEST(printable("a\x1B[2J\u009B\xFE\n", "\n") == "a\\u001B[2J\\u009B\\xFE\n");
  BOOST_TEST(printable("\U0001FFFE") == "\\uD83F\\uDFFE");
  BOOST_TEST(only_printable("a\x1B[2J\u009Bb\u202E\xFE\r\n\tc") == "a[2Jb\uFFFD\n\tc");
  BOOST_TEST(only_printable("a\tb", "") == "ab");
  BOOST_TEST(masked("a\x1B[2J\u009Bb\u202E\xFE\r\n\tc", "\n") == "a?[2J?b???\n?c");
  BOOST_TEST(is_printable(U'a'));
  for (const char32_t each : {U'\u202E', U'\uFFFE', U'\u001B', char32_t{0x110000}}) {
    BOOST_TEST(!is_printable(each));
  }
}

BOOST_AUTO_TEST_CASE(wide_characters_take_two_columns_and_combining_ones_none) {
  BOOST_TEST(display_width("") == 0U);
  BOOST_TEST(display_width("abc é") == 5U);
  BOOST_TEST(display_width("禁言") == 4U);
  BOOST_TEST(display_width("e\u0301x") == 2U);
  BOOST_TEST(display_width("a\xFFz") == 3U);
  BOOST_TEST(first_columns("禁言x", 3) == "禁");
  BOOST_TEST(first_columns("e\u0301xy", 2) == "e\u0301x");
  BOOST_TEST(first_columns("abc", 9) == "abc");
}

BOOST_AUTO_TEST_SUITE_END()
