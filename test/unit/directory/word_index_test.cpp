#include "app/directory/packed_index.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <vector>

#include "test/unit/directory/searching.hpp"

using goldsmith::directory::WordIndex;
using Place = WordIndex::Place;

namespace {

struct Texts {
  std::string name;
  std::string tags = {};
  std::string others = {};
};

struct Index : WordIndex {
  void insert(const Texts& document) {
    put(Place::elsewhere, document.others);
    put(Place::in_name, document.name);
    put(Place::in_tags, document.tags);
    add();
  }

  std::vector<std::uint8_t> find(const std::string& text) const {
    return goldsmith::test::scores_of(*this, text);
  }

  // The documents that have all words, best first.
  std::vector<std::size_t> order(const std::string& text) const {
    return goldsmith::test::found_by(*this, text);
  }
};

using Order = std::vector<std::size_t>;

const std::vector<Texts> kDocuments{{"Gag Menu", "chat", "amx_gag amx_ungag by Tuty"},
                                    {"AFK Kicker", "admin", "kicks who do not move"},
                                    {"Admin Chat", "gag", "Writes to admins"},
                                    {"ПРИВЕТ", "Straße", "Café 禁言插件 amx_kick_afk"}};

// Once with all packed, once with some, once with none.
template <typename Check>
void for_each_packing(const std::vector<Texts>& documents, Check check) {
  for (const std::size_t packed : {documents.size(), documents.size() / 2, std::size_t{0}}) {
    BOOST_TEST_CONTEXT(packed << " packed") {
      Index index;
      for (std::size_t i = 0; i < documents.size(); ++i) {
        if (i == packed) index.pack();
        index.insert(documents[i]);
      }
      if (packed == documents.size()) index.pack();
      BOOST_TEST(index.unpacked() == documents.size() - packed);
      check(index);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(word_index)

BOOST_AUTO_TEST_CASE(every_word_has_to_be_in_a_document) {
  for_each_packing(kDocuments, [](const Index& index) {
    BOOST_TEST(index.order("gag") == (Order{0, 2}));
    BOOST_TEST(index.order("gag tuty") == (Order{0}));
    BOOST_TEST(index.order("kick afk") == (Order{1, 3}));
    BOOST_TEST(index.order("afk kick move") == (Order{1}));
    BOOST_TEST(index.order("afk gag").empty());
    BOOST_TEST(index.order("nothing").empty());
  });
}

BOOST_AUTO_TEST_CASE(a_part_of_a_word_is_enough_but_for_short_ones) {
  for_each_packing(kDocuments, [](const Index& index) {
    BOOST_TEST(index.order("icke") == (Order{1}));
    BOOST_TEST(index.order("ngag") == (Order{0}));
    BOOST_TEST(index.order("ki") == (Order{1, 3}));
    BOOST_TEST(index.order("ic").empty());
    BOOST_TEST(index.order("k") == (Order{1, 3}));
    BOOST_TEST(index.order("禁") == (Order{3}));
    BOOST_TEST(index.order("言") == (Order{3}));
    BOOST_TEST(index.order("menuchat").empty());
    BOOST_TEST(index.order("gagmenu").empty());
  });
}

BOOST_AUTO_TEST_CASE(names_come_before_tags_and_tags_before_the_rest) {
  const std::vector<Texts> documents{
      {"a", "", "afk kick"}, {"b", "afk", "kick"}, {"c", "afk kick"},          {"afk", "", "kick"},
      {"kick", "afk"},       {"kick afk"},         {"afk kick", "afk", "kick"}};
  for_each_packing(documents, [](const Index& index) {
    BOOST_TEST(index.order("kick afk") == (Order{5, 6, 4, 3, 2, 1, 0}));
  });
}

BOOST_AUTO_TEST_CASE(whole_words_come_before_beginnings_and_those_before_parts) {
  const std::vector<Texts> documents{{"flashbang"},    {"bank"},          {"ban"},
                                     {"x", "ban"},     {"x", "bank"},     {"x", "urban"},
                                     {"x", "", "ban"}, {"x", "", "bank"}, {"x", "", "urban"}};
  for_each_packing(documents, [](const Index& index) {
    BOOST_TEST(index.order("ban") == (Order{2, 1, 3, 0, 4, 6, 5, 7, 8}));
    BOOST_TEST(index.order("ba") == (Order{1, 2, 3, 4, 6, 7}));
    BOOST_TEST(index.order("bang") == (Order{0}));
  });
}

BOOST_AUTO_TEST_CASE(singular_and_plural_are_one_word) {
  const std::vector<Texts> documents{{"gun knife class entity zombie"},
                                     {"guns knives classes entities zombies"},
                                     {"gunner knifed classy"}};
  for_each_packing(documents, [](const Index& index) {
    for (const char* text : {"guns", "knives", "classes", "entities", "zombies", "entity"}) {
      BOOST_TEST(index.order(text) == (Order{0, 1}), text);
    }
    for (const char* text : {"gun", "knife", "class"}) {
      BOOST_TEST(index.order(text) == (Order{0, 1, 2}), text);
      const std::vector<std::uint8_t> scores = index.find(text);
      BOOST_TEST(scores[0] == scores[1], text);
      BOOST_TEST(scores[1] > scores[2], text);
    }
    for (const char* text : {"gunss", "knive", "classess"}) {
      BOOST_TEST(index.order(text) == (text == std::string("knive") ? Order{1} : Order{}), text);
    }
  });
}

BOOST_AUTO_TEST_CASE(letters_are_compared_in_any_case_and_script) {
  for_each_packing(kDocuments, [](const Index& index) {
    for (const char* text : {"привет", "STRASSE", "cafe\xCC\x81", "插件"}) {
      BOOST_TEST(index.order(text) == (Order{3}), text);
    }
    BOOST_TEST(index.order("cafe").empty());
  });
}

BOOST_AUTO_TEST_CASE(eight_words_in_the_name_are_the_most) {
  Index index;
  index.insert({"a b c d e f g h", "a b c d e f g h", "a b c d e f g h"});
  index.insert({"x", "a b c d e f g h"});
  index.insert({"a", "x", "b c d e f g h"});
  index.pack();
  BOOST_TEST(index.order("a b c d e f g h") == (Order{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(nothing_is_in_an_empty_index) {
  Index index;
  BOOST_TEST(index.order("a").empty());
  index.pack();
  BOOST_TEST(index.order("abc").empty());
  index.insert({""});
  BOOST_TEST(index.order("abc").empty());
  index.insert({"abc"});
  BOOST_TEST(index.order("abc") == (Order{1}));
  index.clear();
  BOOST_TEST(index.find("abc").empty());
}

// Against looking through all texts.
BOOST_AUTO_TEST_CASE(it_finds_what_a_slow_search_finds) {
  std::mt19937 random(7);
  const auto word = [&] {
    std::string text;
    for (std::size_t length = 1 + random() % 6; length > 0; --length) {
      text += static_cast<char>('a' + random() % 3);
    }
    return text;
  };
  const auto words = [&] {
    std::string text = word();
    for (std::size_t more = random() % 5; more > 0; --more) text += " " + word();
    return text;
  };
  std::vector<Texts> documents;
  for (int i = 0; i < 1000; ++i) documents.push_back({words(), words(), words()});
  // None of its words ends as a plural does.
  const auto fit = [](const std::string& text, const std::string& wanted) {
    const std::string spaced = " " + text + " ";
    if (spaced.find(" " + wanted + " ") != std::string::npos) return 3;
    if (spaced.find(" " + wanted) != std::string::npos) return 2;
    return wanted.size() > 2 && spaced.find(wanted) != std::string::npos ? 1 : 0;
  };
  const auto points = [&](const Texts& document, const std::string& wanted) {
    constexpr int kName[]{0, 6, 14, 24};
    constexpr int kTag[]{0, 2, 6, 12};
    return std::max({kName[fit(document.name, wanted)], kTag[fit(document.tags, wanted)],
                     fit(document.others, wanted)});
  };
  for_each_packing(documents, [&](const Index& index) {
    for (int i = 0; i < 100; ++i) {
      const std::string first = word();
      const std::string second = word();
      const std::vector<std::uint8_t> found = index.find(first + " " + second);
      for (std::size_t each = 0; each < documents.size(); ++each) {
        const int one = points(documents[each], first);
        const int other = points(documents[each], second);
        const int score = one == 0 || other == 0 ? 0 : one + other;
        BOOST_TEST_REQUIRE(int{found[each]} == score, first << ' ' << second);
      }
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
