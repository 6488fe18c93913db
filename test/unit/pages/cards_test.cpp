#include "handlers/pages/format.hpp"

#include <boost/test/unit_test.hpp>

using namespace goldsmith;
using handlers::pages::paging;

namespace {

bool has(const json::Object& object, const char* name, const std::string& text) {
  const auto found = object.find(name);
  return found != object.end() && *found->second.as_string() == text;
}

bool shows(const json::Object& object) { return *object.at("several").as_bool(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(links_to_pages_of_a_list)

BOOST_AUTO_TEST_CASE(a_single_page_links_no_other_page) {
  for (const std::int64_t total : {0, 1, 10}) {
    const json::Object object = paging({1, 10}, total, "/?");
    BOOST_TEST(!shows(object));
    BOOST_TEST(!object.contains("previous"));
    BOOST_TEST(!object.contains("next"));
    BOOST_TEST(has(object, "pages", "1"));
  }
}

BOOST_AUTO_TEST_CASE(the_neighbours_of_a_page_are_linked) {
  const json::Object first = paging({1, 10}, 21, "/?q=a&");
  BOOST_TEST(shows(first));
  BOOST_TEST(!first.contains("previous"));
  BOOST_TEST(has(first, "next", "/?q=a&page_n=2"));
  const json::Object second = paging({2, 10}, 21, "/?");
  BOOST_TEST(has(second, "previous", "/?page_n=1"));
  BOOST_TEST(has(second, "next", "/?page_n=3"));
  BOOST_TEST(has(second, "pages", "3"));
  const json::Object last = paging({3, 10}, 21, "/?");
  BOOST_TEST(has(last, "previous", "/?page_n=2"));
  BOOST_TEST(!last.contains("next"));
}

BOOST_AUTO_TEST_CASE(from_behind_the_end_the_last_page_is_linked) {
  const json::Object behind = paging({9, 10}, 11, "/?");
  BOOST_TEST(shows(behind));
  BOOST_TEST(has(behind, "previous", "/?page_n=2"));
  BOOST_TEST(!behind.contains("next"));
  BOOST_TEST(shows(paging({2, 10}, 0, "/?")));
}

BOOST_AUTO_TEST_SUITE_END()
