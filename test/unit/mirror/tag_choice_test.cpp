// Which tag plugins are taken from, and which waits (decision P26).
#include "app/mirror/tag_choice.hpp"

#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <string>

#include "app/base/text.hpp"
#include "test/support/utc_literal.hpp"

namespace goldsmith::mirror {
namespace {

// "TAG; WAITING, …", the tags that wait by name.
std::string chosen(std::initializer_list<const char*> tags, const PublicTag& published) {
  std::vector<TagCandidate> candidates;
  for (const char* tag : tags) candidates.push_back({tag});
  const TagChoice choice = choose_tag(std::move(candidates), published, "2026-11-29 12:00:00"_utc);
  std::string text = choice.tag;
  for (const WaitingTag& each : choice.waiting) text += " " + each.tag;
  return text;
}

PublicTag tag(const char* name) { return {name, "2024-05-01 12:00:00"_utc}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(choice_of_tags)

BOOST_AUTO_TEST_CASE(the_highest_that_follows_on_what_is_public_counts) {
  BOOST_TEST(chosen({"v1.10", "v1.9", "v1.2"}, tag("v1.2")) == "v1.10");
  BOOST_TEST(chosen({"v1.0", "v1.1", "v1.2-rc1"}, tag("v1.1")) == "v1.1 v1.2-rc1");
  BOOST_TEST(chosen({"v1.0", "v1.1", "v1.2-rc1", "v1.2"}, tag("v1.1")) == "v1.2");
  BOOST_TEST(chosen({"v1.2-rc1", "v1.2-rc2"}, tag("v1.2-rc1")) == "v1.2-rc2");
  BOOST_TEST(chosen({"1.1", "20150213.1", "v99", "9.9.9-test", "1.2", "v1.3"}, tag("1.1")) ==
             "v1.3 9.9.9-test 20150213.1 v99");
  BOOST_TEST(chosen({"1.1", "v99", "v100"}, tag("v99")) == "v100");
  BOOST_TEST(chosen({"5", "20", "1"}, tag("1")) == "20");
  BOOST_TEST(chosen({"3.0", "2025.05"}, tag("3.0")) == "2025.05");
}

BOOST_AUTO_TEST_CASE(where_nothing_is_public_the_lowest_is_where_it_begins) {
  const PublicTag none;
  BOOST_TEST(chosen({}, none).empty());
  BOOST_TEST(chosen({"nightly", "final"}, none).empty());
  BOOST_TEST(chosen({"v1.0", "v1.1", "v99", "v1.2-rc1"}, none) == "v1.1 v1.2-rc1 v99");
  BOOST_TEST(chosen({"1.0-beta", "1.1-beta"}, none) == "1.1-beta");
  // What goes on after a leap is no stray tag.
  BOOST_TEST(chosen({"1.0", "2.2", "20150213", "20160301"}, none) == "20160301");
}

BOOST_AUTO_TEST_CASE(a_public_tag_that_is_gone_is_where_it_goes_on) {
  BOOST_TEST(chosen({"1.0", "1.2"}, tag("1.1")) == "1.2");
  BOOST_TEST(chosen({"0.9", "1.0"}, tag("1.1")) == "1.0");
  BOOST_TEST(chosen({"99"}, tag("1.1")).empty());
}

BOOST_AUTO_TEST_CASE(prereleases_may_be_wanted_and_a_forge_may_name_them) {
  const PublicTag wanted{"1.1", std::nullopt, true};
  BOOST_TEST(chosen({"1.1", "1.2-rc1", "99-rc1"}, wanted) == "1.2-rc1 99-rc1");
  for (const bool is_wanted : {false, true}) {
    const PublicTag published{"1.1", std::nullopt, is_wanted};
    const TagChoice choice = choose_tag({{"1.1"}, {"1.2", true}}, published, {});
    BOOST_TEST(choice.tag == (is_wanted ? "1.2" : "1.1"));
    BOOST_TEST(choice.waiting.size() == (is_wanted ? 0U : 1U));
  }
}

BOOST_AUTO_TEST_CASE(where_nothing_final_is_public_betas_follow_until_a_tag_is_final) {
  const PublicTag beta{"v1.0-beta", std::nullopt, false, true};
  BOOST_TEST(chosen({"v1.0-beta", "v2.0-beta"}, beta) == "v2.0-beta");
  BOOST_TEST(chosen({"v1.0-beta", "v1.1-beta", "v2.0", "v2.1-beta"}, beta) == "v2.0 v2.1-beta");
  BOOST_TEST(chosen({"v1.0-beta", "v2.0-beta"}, tag("v1.0-beta")) == "v1.0-beta v2.0-beta");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::mirror
