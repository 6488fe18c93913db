#include "app/base/glob.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::base {

BOOST_AUTO_TEST_SUITE(globs)

BOOST_AUTO_TEST_CASE(a_pattern_without_a_slash_matches_a_name_at_any_depth) {
  BOOST_TEST(matches_glob("*.dll", "metamod.dll"));
  BOOST_TEST(matches_glob("*.dll", "addons/metamod/metamod.dll"));
  BOOST_TEST(matches_glob("hltv", "bin/hltv"));
  BOOST_TEST(!matches_glob("hltv", "hltv/readme.txt"));
  BOOST_TEST(!matches_glob("*.dll", "a.dll/readme.txt"));
  BOOST_TEST(!matches_glob("*.dll", "a.DLL"));
  BOOST_TEST(!matches_glob("*.dll", "a.dll.txt"));
}

BOOST_AUTO_TEST_CASE(a_pattern_with_a_slash_matches_the_whole_path) {
  BOOST_TEST(matches_glob("bin/hltv", "bin/hltv"));
  BOOST_TEST(!matches_glob("bin/hltv", "a/bin/hltv"));
  BOOST_TEST(!matches_glob("bin/hltv", "bin/hltv2"));
  BOOST_TEST(!matches_glob("bin/", "bin"));
}

BOOST_AUTO_TEST_CASE(a_star_stops_at_a_slash) {
  BOOST_TEST(matches_glob("bin/*/hltv", "bin/linux32/hltv"));
  BOOST_TEST(matches_glob("bin/*", "bin/hltv"));
  BOOST_TEST(matches_glob("bin/*", "bin/"));
  BOOST_TEST(!matches_glob("bin/*", "bin/linux32/hltv"));
  BOOST_TEST(!matches_glob("bin/*/hltv", "bin/hltv"));
  BOOST_TEST(matches_glob("a/*b*c", "a/xbxbxc"));
  BOOST_TEST(!matches_glob("a/*b*c", "a/xbxbxcd"));
}

BOOST_AUTO_TEST_CASE(two_stars_pass_slashes) {
  BOOST_TEST(matches_glob("bin/win32/**", "bin/win32/valve/dlls/director.dll"));
  BOOST_TEST(matches_glob("bin/win32/**", "bin/win32/a"));
  BOOST_TEST(!matches_glob("bin/win32/**", "bin/win32"));
  BOOST_TEST(!matches_glob("bin/win32/**", "bin/linux32/a"));
  BOOST_TEST(matches_glob("a/**z", "a/b/c/z"));
  BOOST_TEST(matches_glob("**", "a/b"));
}

BOOST_AUTO_TEST_CASE(two_stars_and_a_slash_are_any_number_of_whole_folders) {
  BOOST_TEST(matches_glob("**/hltv", "hltv"));
  BOOST_TEST(matches_glob("**/hltv", "a/b/hltv"));
  BOOST_TEST(!matches_glob("**/hltv", "a/xhltv"));
  BOOST_TEST(matches_glob("a/**/z", "a/z"));
  BOOST_TEST(matches_glob("a/**/z", "a/b/c/z"));
  BOOST_TEST(!matches_glob("a/**/z", "a/bz"));
  BOOST_TEST(!matches_glob("a/**/z", "az"));
  BOOST_TEST(matches_glob("**/*.so", "a/b.so"));
}

BOOST_AUTO_TEST_CASE(a_question_mark_is_one_byte_but_no_slash) {
  BOOST_TEST(matches_glob("a?c", "abc"));
  BOOST_TEST(!matches_glob("a?c", "ac"));
  BOOST_TEST(!matches_glob("x/a?c", "x/a/c"));
}

BOOST_AUTO_TEST_CASE(all_other_characters_stand_for_themselves) {
  BOOST_TEST(matches_glob("a[b].{c}", "a[b].{c}"));
  BOOST_TEST(!matches_glob("a[b]", "ab"));
  BOOST_TEST(!matches_glob("a.c", "abc"));
  BOOST_TEST(matches_glob("", ""));
  BOOST_TEST(!matches_glob("", "a"));
}

BOOST_AUTO_TEST_CASE(a_pattern_made_to_take_for_ever_does_not) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += i % 2 == 0 ? "*a" : "**a";
  const std::string path(1'024, 'a');
  BOOST_TEST(matches_glob(pattern, path));
  BOOST_TEST(!matches_glob(pattern + "b", path));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::base
