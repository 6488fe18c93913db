#include <boost/test/unit_test.hpp>

#include "app/base/text.hpp"
#include "app/directory/plugin_index.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using test::kNow;

namespace {

using Slugs = std::vector<std::string>;

struct Searched : test::DatabaseFixture {
  db::PluginStore store = plugins();
  base::SystemClock clock;
  directory::PluginIndex index{store, store, clock};
  std::uint64_t epoch = 0;

  void add(const domain::Slug& slug, std::string_view name, std::vector<std::string> tags) {
    domain::Plugin plugin = test::make_plugin(slug);
    plugin.name = name;
    plugin.tags = std::move(tags);
    store.import(plugin, kNow);
  }

  // What the API does with `q`.
  Slugs search(std::string_view text, const std::optional<domain::Slug>& category = {}) {
    const auto page = index.page({base::fold_case(text), category}, 0, 100, ++epoch);
    BOOST_TEST(page.total == static_cast<std::int64_t>(page.plugins.size()));
    return test::slugs(page.plugins);
  }
};

// What the API does with `search`.
struct SearchedByWords : Searched {
  db::PluginFilter filter;

  void add(domain::Plugin plugin) { store.import(plugin, kNow); }

  Slugs search_words(std::string_view text) {
    const std::string words = base::folded_words(text);
    filter.words.clear();
    for (const std::string_view word : base::split(words, ' ')) filter.words.emplace_back(word);
    const auto page = index.page(filter, 0, 100, ++epoch);
    BOOST_TEST(page.total == static_cast<std::int64_t>(page.plugins.size()));
    return test::slugs(page.plugins);
  }
};

domain::Plugin described(const domain::Slug& slug, std::string_view name, std::int64_t downloads) {
  domain::Plugin plugin = test::make_plugin(slug, downloads);
  plugin.name = name;
  plugin.tags.clear();
  plugin.author.clear();
  plugin.summary.clear();
  plugin.about = {};
  return plugin;
}

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

BOOST_FIXTURE_TEST_CASE(the_letters_i_of_turkish_are_one, SearchedByWords) {
  Searched::add("a", "İSTANBUL IŞIK", {});
  Searched::add("b", "Istanbul ışık", {});
  Searched::add("c", "İstanbul Işık", {});
  // As versions that told the letters apart stored them.
  database.execute("UPDATE plugins SET search_text = ? WHERE slug = 'a'",
                   {"i\u0307stanbul işik\x1F"});
  database.execute("UPDATE plugins SET search_text = ? WHERE slug = 'b'", {"istanbul ışık\x1F"});
  for (const char* text : {"istanbul", "İSTANBUL", "ISTANBUL", "ışık", "IŞIK", "işik"}) {
    BOOST_TEST((search(text) == Slugs{"a", "b", "c"}), text);
    BOOST_TEST((search_words(text) == Slugs{"a", "b", "c"}), text);
  }
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

BOOST_FIXTURE_TEST_SUITE(plugin_search_by_words, SearchedByWords)

BOOST_AUTO_TEST_CASE(words_are_in_every_text_but_the_description) {
  domain::Plugin plugin = described("all", "Gag Menu", 0);
  plugin.author = "Tuty";
  plugin.summary = "Mutes «шумных» players.";
  plugin.tags = {"chat", "two words"};
  plugin.about.description = "At length.";
  plugin.about.cvars = {{"gag_minutes", "5", "How long"}, {"a\"b\\c", "", ""}};
  plugin.about.commands = {{"amx_gag", "c", "Mutes"}, {"say /ungag", "", ""}};
  add(plugin);
  for (const char* text : {"gag menu", "tuty", "MUTES", "ШУМНЫХ", "chat", "words two", "minutes",
                           "amx_gag", "ungag", "say", "gag tuty chat minutes", "b c"}) {
    BOOST_TEST(search_words(text) == Slugs{"all"}, text);
  }
  for (const char* text : {"length", "long", "fun", "5", "gpl", "gag kick", "name", "commands"}) {
    BOOST_TEST(search_words(text).empty(), text);
  }
}

BOOST_AUTO_TEST_CASE(names_come_first_then_tags_then_downloads) {
  domain::Plugin rest = described("rest", "Much loved", 100);
  rest.summary = "Kicks who is afk.";
  domain::Plugin tag = described("tag", "Idle Kick", 1);
  tag.tags = {"afk"};
  domain::Plugin more = rest;
  more.slug = "more";
  more.downloads = 200;
  for (const auto& each : {rest, tag, more, described("name", "AFK Kicker", 0)}) add(each);
  BOOST_TEST(search_words("kick afk") == (Slugs{"name", "tag", "more", "rest"}));
  filter.order = db::PluginOrder::downloads;
  BOOST_TEST(search_words("kick afk") == (Slugs{"more", "rest", "tag", "name"}));
  filter.order = db::PluginOrder::name;
  BOOST_TEST(search_words("kick afk") == (Slugs{"name", "tag", "more", "rest"}));
  filter.order = db::PluginOrder::relevance;
  filter.folded_text = "idle";
  BOOST_TEST(search_words("kick afk") == Slugs{"tag"});
  filter.folded_text = "";
  filter.category = domain::Slug("admin");
  BOOST_TEST(search_words("kick afk").empty());
}

BOOST_AUTO_TEST_CASE(changes_are_found_at_once) {
  domain::Plugin plugin = described("one", "Old", 0);
  plugin.summary = "former";
  add(plugin);
  BOOST_TEST(search_words("former") == Slugs{"one"});
  plugin.summary = "current";
  plugin.about.commands = {{"amx_new", "", ""}};
  add(plugin);
  BOOST_TEST(search_words("former").empty());
  BOOST_TEST(search_words("current amx_new") == Slugs{"one"});
  plugin.about = {};
  add(plugin);
  BOOST_TEST(search_words("amx_new").empty());
  store.remove("one");
  BOOST_TEST(search_words("current").empty());
}

BOOST_AUTO_TEST_CASE(as_many_names_as_a_plugin_may_have_are_searched) {
  domain::Plugin plugin = described("long", "Long", 0);
  for (int i = 0; i < 256; ++i) {
    const std::string number = std::to_string(1000 + i);
    plugin.about.cvars.push_back({std::string(250, 'c') + number, "", std::string(255, 'h')});
    plugin.about.commands.push_back({std::string(250, 'd') + number, "", std::string(255, 'h')});
  }
  add(plugin);
  BOOST_TEST(search_words("c1255 d1000") == Slugs{"long"});
}

BOOST_AUTO_TEST_SUITE_END()
