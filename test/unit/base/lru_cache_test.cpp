#include "app/base/lru_cache.hpp"

#include <boost/test/unit_test.hpp>

using goldsmith::base::LruCache;

namespace {

struct Cache : LruCache<int> {
  bool has(std::string_view key) { return find(key) != nullptr; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lru_cache, Cache)

BOOST_AUTO_TEST_CASE(a_value_is_found_until_it_is_replaced_or_erased) {
  BOOST_TEST(!has("a"));
  put("a", 1, 1, 100);
  put("b", 2, 1, 100);
  BOOST_TEST(*find("a") == 1);
  put("a", 3, 1, 100);
  BOOST_TEST(*find("a") == 3);
  erase("a");
  BOOST_TEST(!has("a"));
  BOOST_TEST(*find("b") == 2);
  clear();
  BOOST_TEST(!has("b"));
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_values_give_way) {
  for (const char* key : {"a", "b", "c", "d"}) put(key, 0, 25, 100);
  BOOST_TEST(has("a"));
  put("e", 0, 25, 100);
  BOOST_TEST(has("a"));
  BOOST_TEST(!has("b"));
  put("f", 0, 12, 50);  // there is less room than before
  BOOST_TEST(has("a"));
  BOOST_TEST(!has("e"));
}

BOOST_AUTO_TEST_CASE(what_is_replaced_or_removed_takes_no_room) {
  put("a", 0, 25, 100);
  for (int i = 0; i < 9; ++i) put("b", i, 25, 100);
  put("c", 0, 25, 100);
  put("d", 0, 25, 100);
  BOOST_TEST(has("a"));
  clear();
  for (const char* key : {"a", "b", "c", "d"}) put(key, 0, 25, 100);
  BOOST_TEST(has("a"));
}

BOOST_AUTO_TEST_CASE(a_value_that_would_push_out_too_many_others_is_not_stored) {
  put("a", 1, 25, 100);
  put("b", 2, 26, 100);
  BOOST_TEST(has("a"));
  BOOST_TEST(!has("b"));
  put("a", 3, 26, 100);  // nor is the value that it was to replace
  BOOST_TEST(!has("a"));
}

BOOST_AUTO_TEST_SUITE_END()
