#include "handlers/pages/format.hpp"

#include <boost/test/unit_test.hpp>

using namespace goldsmith::handlers::pages;

BOOST_AUTO_TEST_SUITE(format)

BOOST_AUTO_TEST_CASE(letters_of_an_access_have_names) {
  BOOST_TEST(access_names("d") == "ADMIN_BAN");
  BOOST_TEST(access_names("amtuvyz") ==
             "ADMIN_IMMUNITY, ADMIN_LEVEL_A, ADMIN_LEVEL_H, ADMIN_MENU, ADMIN_BAN_TEMP, "
             "ADMIN_ADMIN, ADMIN_USER");
  BOOST_TEST(access_names("wx") == "");
  BOOST_TEST(access_names("") == "");
}

BOOST_AUTO_TEST_CASE(numbers_are_grouped_by_thousands) {
  BOOST_TEST(grouped(0) == "0");
  BOOST_TEST(grouped(999) == "999");
  BOOST_TEST(grouped(1000) == "1,000");
  BOOST_TEST(grouped(-1234567) == "-1,234,567");
  BOOST_TEST(counted_files(1) == "1 file");
  BOOST_TEST(counted_files(1234) == "1,234 files");
}

BOOST_AUTO_TEST_CASE(only_web_addresses_become_links) {
  BOOST_TEST(web_link("https://example.org/a?b#c") == "https://example.org/a?b#c");
  BOOST_TEST(web_link("HTTP://example.org") == "HTTP://example.org");
  for (const char* text : {"", "javascript:alert(1)", "JaVaScRiPt://x", "data:text/html,x",
                           "//example.org", " https://example.org", "https://example.org/\nx",
                           "java\nscript:alert(1)", "httpss://x", "ftp://example.org"}) {
    BOOST_TEST(web_link(text).empty(), text);
  }
}

BOOST_AUTO_TEST_CASE(a_summary_is_one_short_line) {
  BOOST_TEST(summary("two\nlines") == "two lines");
  const std::string start = summary(std::string(10'000, 'x'));
  BOOST_TEST(start.size() == 200 + std::string("…").size());
}

BOOST_AUTO_TEST_CASE(paths_are_encoded) {
  BOOST_TEST(source_path("afk-watch", "1.0+a", "a b/\"<.sma") ==
             "/plugins/afk-watch/1.0%2Ba/a%20b%2F%22%3C.sma");
  BOOST_TEST(directory_path({}) == "/plugins");
  BOOST_TEST(directory_path({.text = "c#"}) == "/plugins?q=c%23");
  BOOST_TEST(directory_path({.text = "50% & more", .category = "fun"}) ==
             "/plugins?q=50%25%20%26%20more&category=fun");
  BOOST_TEST(author_path("A. Author & Söhne") == "/plugins?author=A.%20Author%20%26%20S%C3%B6hne");
  BOOST_TEST(author_path("").empty());
}

BOOST_AUTO_TEST_SUITE_END()
