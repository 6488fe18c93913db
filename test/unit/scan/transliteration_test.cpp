#include <boost/test/unit_test.hpp>

#include "app/scan/legal_names.hpp"

using namespace goldsmith;

BOOST_AUTO_TEST_SUITE(transliteration)

BOOST_AUTO_TEST_CASE(letters_of_every_alphabet_become_those_of_ascii) {
  BOOST_TEST(scan::in_latin_letters("Admin's Menu_1") == "Admin's Menu_1");
  BOOST_TEST(scan::in_latin_letters("Привет") == "Privet");
  BOOST_TEST(scan::in_latin_letters("Καλημέρα") == "Kalemera");
  BOOST_TEST(scan::in_latin_letters("管理") == "guan li");
  BOOST_TEST(scan::in_latin_letters("Żółć, straße") == "Zolc, strasse");
}

BOOST_AUTO_TEST_CASE(what_is_no_text_harms_nothing) {
  BOOST_TEST(scan::in_latin_letters("") == "");
  BOOST_TEST(scan::in_latin_letters("a\xFF") != "");
}

BOOST_AUTO_TEST_SUITE_END()
