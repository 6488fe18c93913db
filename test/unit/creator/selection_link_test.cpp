#include "app/creator/selection_link.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::creator {
namespace links_to_selections {

std::string query_of(std::string_view text) {
  const auto link = read_selection_link(text);
  return link ? link->query : "none";
}

BOOST_AUTO_TEST_SUITE(links_to_selections_of_any_host)

BOOST_AUTO_TEST_CASE(a_link_has_a_host_and_a_selection) {
  const auto link =
      read_selection_link(" https://other.example:8443/server?components=a@1,b&plugins=x%2Cy\n");
  BOOST_REQUIRE(link);
  BOOST_TEST(link->host == "other.example:8443");
  BOOST_TEST(link->query == "components=a@1,b&plugins=x%2Cy");
  BOOST_TEST(!link->has_pins);
}

BOOST_AUTO_TEST_CASE(whatever_else_is_in_it_is_left_out) {
  BOOST_TEST(query_of("https://a/server?lang=pl&components=a&q=z&file=x&optimized=1#files") ==
             "components=a&optimized=1");
  BOOST_TEST(query_of("http://a/cs/server/update.sh?cfg=x%201&key=secret&order=a") ==
             "cfg=x%201&order=a");
  BOOST_TEST(read_selection_link("https://me:secret@a/server?build=1")->host == "a");
}

BOOST_AUTO_TEST_CASE(the_pins_of_the_form_are_told) {
  const auto link = read_selection_link("https://a/server?components=,&components=a&pin=a@1");
  BOOST_TEST(link->has_pins);
  BOOST_TEST(link->query == "components=,&components=a&pin=a@1");
}

BOOST_AUTO_TEST_CASE(a_link_without_a_selection_is_that_to_the_recommended_server) {
  for (const char* text : {"https://a/server", "https://a/server/", "https://a/cs/server?lang=de",
                           "https://a/v1/server-builder/download"}) {
    BOOST_TEST(query_of(text).empty(), text);
  }
}

BOOST_AUTO_TEST_CASE(what_is_copied_from_the_question_mark_on_is_a_link_without_a_host) {
  const auto link = read_selection_link("?plugins=a");
  BOOST_REQUIRE(link);
  BOOST_TEST(link->host.empty());
  BOOST_TEST(link->query == "plugins=a");
}

BOOST_AUTO_TEST_CASE(text_without_a_selection_is_no_link) {
  for (const char* text :
       {"", "?", "plugins=a", "/server?plugins=a", "https://", "https:///server?plugins=a",
        "https://a", "https://a/", "https://a/plugins?q=x", "ftp://a/server?plugins=a",
        "javascript:alert(1)//server?plugins=a", "file:///server?plugins=a", "https://a?", "??",
        "https://a/plugins#?plugins=a"}) {
    BOOST_TEST(query_of(text) == "none", text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace links_to_selections
}  // namespace goldsmith::creator
