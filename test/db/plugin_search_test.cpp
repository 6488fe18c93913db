#include <boost/test/unit_test.hpp>

#include "app/service/plugin_index.hpp"
#include "app/sys/text.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using test::kNow;

namespace {

using Slugs = std::vector<std::string>;

struct Searched : test::DatabaseFixture {
  db::PluginStore store = plugins();
  sys::SystemClock clock;
  service::PluginIndex index{store, store, clock};
  std::uint64_t epoch = 0;

  void add(const domain::Slug& slug, std::string_view name, std::vector<std::string> tags) {
    domain::Plugin plugin = test::make_plugin(slug);
    plugin.name = name;
    plugin.tags = std::move(tags);
    store.import(plugin, kNow);
  }

  // What the API does with `q`.
  Slugs search(std::string_view text, const std::optional<domain::Slug>& category = {}) {
    const auto page = index.page({sys::fold_case(text), category}, 0, 100, ++epoch);
    BOOST_TEST(page.total == static_cast<std::int64_t>(page.plugins.size()));
    return test::slugs(page.plugins);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plugin_search, Searched)

BOOST_AUTO_TEST_CASE(a_match_is_inside_the_name_or_inside_a_tag) {
  add("one", "Round Timer", {"hud", "match end"});
  add("two", "Grenades", {"timer"});
  add("three", "Other", {"none"});
  BOOST_TEST(search("timer") == (Slugs{"one", "two"}));
  BOOST_TEST(search("nd Ti") == (Slugs{"one"}));
  BOOST_TEST(search("match e") == (Slugs{"one"}));
  BOOST_TEST(search("author").empty());
  BOOST_TEST(search("fun").empty());  // the category is no text to search
}

BOOST_AUTO_TEST_CASE(a_match_never_spans_two_tags_or_the_name_and_a_tag) {
  add("one", "Alpha", {"beta", "gamma"});
  for (const char* text :
       {"alphabeta", "alpha beta", "betagamma", "beta gamma", "beta,gamma", "abe", "ag"}) {
    BOOST_TEST(search(text).empty(), text);
  }
}

BOOST_AUTO_TEST_CASE(letter_case_does_not_matter_in_any_script) {
  add("cyrillic", "ПРИВЕТ мир", {});
  add("greek", "ΟΔΥΣΣΕΥΣ", {"Τέλος"});
  add("german", "Straße", {});
  add("tag", "Plain", {"ŽLUŤOUČKÝ"});
  BOOST_TEST(search("привет") == (Slugs{"cyrillic"}));
  BOOST_TEST(search("ПрИвЕт МИР") == (Slugs{"cyrillic"}));
  BOOST_TEST(search("οδυσσευσ") == (Slugs{"greek"}));
  BOOST_TEST(search("ΤΈΛΟΣ") == (Slugs{"greek"}));
  BOOST_TEST(search("STRASSE") == (Slugs{"german"}));
  BOOST_TEST(search("žluťoučký") == (Slugs{"tag"}));
}

BOOST_AUTO_TEST_CASE(letters_with_and_without_accents_differ_however_they_are_encoded) {
  add("accent", "Café", {});
  add("plain", "Cafe", {});
  BOOST_TEST(search("café") == (Slugs{"accent"}));
  BOOST_TEST(search("cafe\xCC\x81") == (Slugs{"accent"}));
  BOOST_TEST(search("cafe") == (Slugs{"plain"}));
}

BOOST_AUTO_TEST_CASE(wildcards_and_escapes_are_plain_characters) {
  add("percent", "100% fun", {});
  add("underscore", "snake_case", {});
  add("backslash", "back\\slash", {});
  add("pipe", "a|b", {});
  add("plain", "nothing special", {});
  BOOST_TEST(search("%") == (Slugs{"percent"}));
  BOOST_TEST(search("0% f") == (Slugs{"percent"}));
  BOOST_TEST(search("_") == (Slugs{"underscore"}));
  BOOST_TEST(search("e_c") == (Slugs{"underscore"}));
  BOOST_TEST(search("\\") == (Slugs{"backslash"}));
  BOOST_TEST(search("k\\s") == (Slugs{"backslash"}));
  BOOST_TEST(search("|") == (Slugs{"pipe"}));
  for (const char* text : {"|%", "\\%", "|_", "%%", "__", "'", "\"", "n%g", "n_t"}) {
    BOOST_TEST(search(text).empty(), text);
  }
}

BOOST_AUTO_TEST_CASE(emoji_and_spaces_match_as_they_are) {
  add("emoji", "Fire 🔥🔥 zone", {"💥"});
  add("spaces", "two  spaces ", {});
  BOOST_TEST(search("🔥 z") == (Slugs{"emoji"}));
  BOOST_TEST(search("💥") == (Slugs{"emoji"}));
  BOOST_TEST(search("🧊").empty());
  BOOST_TEST(search("o  s") == (Slugs{"spaces"}));
  BOOST_TEST(search("spaces ") == (Slugs{"spaces"}));
  BOOST_TEST(search("spaces  ").empty());
}

BOOST_AUTO_TEST_CASE(text_and_category_narrow_together) {
  add("one", "Timer", {});
  domain::Plugin other = test::make_plugin("two");
  other.name = "Timer too";
  other.category = "admin";
  store.import(other, kNow);
  BOOST_TEST(search("timer", domain::Slug("admin")) == (Slugs{"two"}));
}

BOOST_AUTO_TEST_CASE(a_separator_in_a_name_does_not_break_the_name) {
  add("odd",
      "od\x1f"
      "d",
      {"x"});
  BOOST_TEST(search("odd") == (Slugs{"odd"}));
}

BOOST_AUTO_TEST_CASE(an_imported_change_of_name_and_tags_is_searched_at_once) {
  add("one", "Old", {"former"});
  add("one", "New", {"current"});
  BOOST_TEST(search("old").empty());
  BOOST_TEST(search("former").empty());
  BOOST_TEST(search("current") == (Slugs{"one"}));
}

BOOST_AUTO_TEST_CASE(the_longest_legal_name_and_tags_are_searched_to_their_ends) {
  std::string longest;
  while (longest.size() + 2 <= 250) longest += "ß";
  longest += "tail";
  add("long", longest, std::vector<std::string>(32, std::string(60, 't') + "end"));
  BOOST_TEST(search("SSTAIL") == (Slugs{"long"}));
  BOOST_TEST(search("tend") == (Slugs{"long"}));
}

BOOST_AUTO_TEST_SUITE_END()
