// What people search for, in the names, authors and tags of a real directory.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/directory/packed_index.hpp"
#include "test/unit/directory/searching.hpp"

using namespace goldsmith;

namespace {

using Names = std::vector<std::string>;

struct Directory {
  Directory() {
    const json::Value file =
        json::parse(base::read_file(GOLDSMITH_SOURCE_DIR "/test/unit/directory/real_names.json"));
    using Place = directory::WordIndex::Place;
    for (const json::Value& each : *file.as_array()) {
      const json::Array& plugin = *each.as_array();
      names.push_back(*plugin[0].as_string());
      tags.push_back(*plugin[2].as_string());
      index.put(Place::in_name, names.back());
      index.put(Place::elsewhere, *plugin[1].as_string());
      index.put(Place::in_tags, tags.back());
      index.add();
    }
    index.pack();
  }

  // Those that match, the best first; among equals by name.
  std::vector<std::size_t> search(std::string_view text) const {
    return test::found_by(index, text);
  }

  Names first_five(std::string_view text) const {
    Names first;
    for (const std::size_t each : search(text)) {
      if (first.size() < 5) first.push_back(names[each]);
    }
    return first;
  }

  directory::WordIndex index;
  Names names;
  Names tags;  // of each, in one text
};

struct Search {
  const char* text;
  Names among_the_first_five;
};

const std::vector<Search> kSearches{
    {"afk", {"AFK", "AFK Kicker", "[ReAPI] AFK manager", "Tuty's AFK Detector"}},
    {"afk kicker", {"AFK Kicker"}},
    {"gag", {"Advanced Gag", "Gag bad players", "[ReAPI] Gag System"}},
    {"ban", {"Active Ban Checker", "Cortex Ban System", "AmxBans Screenshots Ban"}},
    {"ct bans", {"JailBreak: CT Bans"}},
    {"radio", {"Radio", "No Radio Flood", "Arabsteets Radio 2"}},
    {"knives", {"[UKM] Ultimate 7 Knives Knife Mod", "[ReAPI] Knife Menu"}},
    {"knife models", {"Knife model", "Knife Models"}},
    {"mapchooser", {"DeRoiD's Mapchooser"}},
    {"map chooser", {"DeRoiD's Mapchooser"}},
    {"spectator", {"Active Spectator", "Hidden Spectator"}},
    {"hide and seek", {"HideNseek", "HideNSeek XP Mod"}},
    {"capture the flag", {"Capture The Flag", "Fantasy Capture The Flag"}},
    {"gungame", {"GunGame AMXX"}},
    {"gun game", {"GunGame AMXX"}},
    {"parachutes", {"Parachute"}},
    {"jetpack", {"Jetpack", "Tuty's Jetpack"}},
    {"tuty jetpack", {"Tuty's Jetpack"}},
    {"lightsabers", {"Lightsaber"}},
    {"high ping", {"High Ping Kicker"}},
    {"bots", {"Bot Drop C4", "!Bot Swat"}},
    {"frost grenades", {"[ZP] Grenade: Frost", "grenade frost"}},
    {"batman", {"SUPERHERO Batman"}},
    {"spider man", {"SUPERHERO Spider-Man", "Spiderman"}},
    {"statsx", {"StatsX", "StatsX (MastaMan Edition)"}},
    {"rank", {"3D Rank", "Rank System", "CS:GO Rank System"}},
    {"deathrun shop", {"Deathrun Shop"}},
    {"jailbreak shops", {"Jailbreak Shop", "JailBreak: Shop"}},
    {"furien credit", {"Furien Credits System", "Furien Credits System AIO"}},
    {"zombie class", {"[ZP] Class: Zombie"}},
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(searches_of_people, Directory)

BOOST_AUTO_TEST_CASE(what_is_meant_is_among_the_first_five) {
  BOOST_TEST(kSearches.size() >= 30);
  for (const auto& [text, wanted] : kSearches) {
    const Names first = first_five(text);
    for (const std::string& name : wanted) {
      BOOST_TEST((std::find(first.begin(), first.end(), name) != first.end()),
                 text << " does not find " << name << ", but " << base::join(first, ", "));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_game_mode_finds_the_plugins_for_it) {
  const std::vector<std::size_t> found = search("zombie plague");
  BOOST_TEST(found.size() > 100);
  const auto tagged = std::count_if(found.begin(), found.end(), [&](std::size_t each) {
    return tags[each].find("zombie plague") != std::string::npos;
  });
  const auto all = std::count_if(tags.begin(), tags.end(), [](const std::string& each) {
    return each.find("zombie plague") != std::string::npos;
  });
  BOOST_TEST(tagged == all);
  BOOST_TEST(static_cast<std::size_t>(tagged) == found.size());
}

BOOST_AUTO_TEST_SUITE_END()
