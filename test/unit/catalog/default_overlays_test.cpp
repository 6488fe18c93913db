// The default overlays: they belong to files that are shipped, and what reads them understands
// them.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <sstream>

#include "app/creator/plan.hpp"
#include "test/unit/catalog/default_catalog.hpp"

namespace goldsmith::test {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kReunion = "cstrike/addons/reunion/reunion.cfg";
constexpr const char* kGame = "cstrike/game.cfg";
constexpr const char* kGameInit = "cstrike/game_init.cfg";
constexpr const char* kYapb = "cstrike/addons/yapb/conf/yapb.cfg";
constexpr const char* kAmxx = "cstrike/addons/amxmodx/configs/amxx.cfg";

std::string name_of(const domain::OverlaySection& section) {
  return section.path + (section.component ? " for " + *section.component : "");
}

// A file of commands for the engine's console; the other kind is NAME = VALUE.
bool is_console(const domain::OverlaySection& section) { return section.path != kReunion; }

Texts lines_of(const std::string& text) {
  Texts lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_comment(const std::string& line) { return line.starts_with("//") || line.starts_with('#'); }

// The first word of each line that sets something.
Texts names_set(const domain::OverlaySection& section) {
  Texts names;
  for (const std::string& line : lines_of(section.content)) {
    if (!line.empty() && !is_comment(line)) names.push_back(line.substr(0, line.find(' ')));
  }
  return names;
}

// The files of an optimized build of these components that an overlay replaces.
std::map<std::string, std::string> edited(const std::string& wanted) {
  const auto request = creator::parse_selection_request(wanted, std::nullopt, true);
  creator::SelectionResult result = creator::select(request, mirrored_catalog(), {});
  BOOST_TEST_REQUIRE(std::holds_alternative<creator::Selection>(result), wanted);
  const creator::Plan plan = creator::make_plan(
      {request, std::get<creator::Selection>(std::move(result)), {}, sections()});
  std::map<std::string, std::string> files;
  for (const creator::PlannedFile& file : plan.files) {
    if (file.origin == creator::Origin::edited) {
      files[file.path] = std::get<std::string>(file.source);
    }
  }
  return files;
}

bool sets(const std::string& content, const std::string& line) {
  const Texts lines = lines_of(content);
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

const std::string kDefaults = "rehlds,regamedll-cs,metamod-r,amxmodx-1-10,reapi";

}  // namespace

BOOST_AUTO_TEST_SUITE(default_overlays)

BOOST_AUTO_TEST_CASE(a_section_belongs_to_a_file_that_some_component_ships) {
  std::set<std::string> shipped;
  for (const domain::Component& each : components()) {
    for (const std::string& path : known_files(each.slug)) shipped.insert(path);
  }
  for (const domain::OverlaySection& section : sections()) {
    BOOST_TEST(shipped.contains(section.path), section.path);
    if (section.component) BOOST_CHECK_NO_THROW(component(*section.component));
  }
}

BOOST_AUTO_TEST_CASE(sections_of_a_path_have_an_order_of_their_own) {
  std::set<std::pair<std::string, std::int64_t>> places;
  for (const domain::OverlaySection& section : sections()) {
    BOOST_TEST(places.emplace(section.path, section.position).second, name_of(section));
  }
}

// Stock HLDS ends a command at a semicolon in a comment, too, and a line that is too long anywhere.
BOOST_AUTO_TEST_CASE(the_engine_reads_every_line_as_it_is_meant) {
  for (const domain::OverlaySection& section : sections()) {
    for (const std::string& line : lines_of(section.content)) {
      BOOST_TEST_CONTEXT(name_of(section) << ": " << line) {
        BOOST_TEST(line.size() <= 255U);
        BOOST_TEST(std::count(line.begin(), line.end(), '"') % 2 == 0);
        BOOST_TEST(
            std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c < 127; }));
        BOOST_TEST((line.empty() || line.back() != ' '));
        if (!is_console(section)) continue;
        BOOST_TEST((line.find(';') == std::string::npos));
        BOOST_TEST((is_comment(line) || line.find("//") == std::string::npos));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_line_sets_one_name_and_every_name_is_set_once_in_a_section) {
  for (const domain::OverlaySection& section : sections()) {
    std::multiset<std::string> seen;
    for (const std::string& name : names_set(section)) {
      BOOST_TEST((name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_") == std::string::npos),
                 name_of(section) << ": " << name);
      seen.insert(name);
      // A greeting is a command that adds one.
      BOOST_TEST((seen.count(name) == 1U || name == "amx_imessage"), name_of(section)
                                                                         << ": " << name);
    }
    BOOST_TEST(!seen.empty(), name_of(section));
  }
}

BOOST_AUTO_TEST_CASE(key_value_files_have_an_equals_sign_in_every_line) {
  for (const domain::OverlaySection& section : sections()) {
    if (is_console(section)) continue;
    for (const std::string& line : lines_of(section.content)) {
      BOOST_TEST((line.empty() || is_comment(line) || line.find(" =") != std::string::npos), line);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_value_has_its_source_in_the_comment_above_it) {
  for (const domain::OverlaySection& section : sections()) {
    if (!is_console(section)) continue;
    bool has_source = false;
    for (const std::string& line : lines_of(section.content)) {
      if (line.empty()) {
        has_source = false;
      } else if (is_comment(line)) {
        for (const char* source :
             {"default", "docker", "installer", "shipped", "github.com", "game.cfg", "yapb.cfg"}) {
          has_source = has_source || line.find(source) != std::string::npos;
        }
      } else {
        BOOST_TEST(has_source, name_of(section) << ": " << line);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_default_stack_is_tuned_in_three_files) {
  const auto files = edited("");
  BOOST_TEST_REQUIRE(files.size() == 3U);
  BOOST_TEST(sets(files.at(kGame), "mp_freezetime \"5\""));
  BOOST_TEST(sets(files.at(kGameInit), "sv_maxrate \"100000\""));
  BOOST_TEST(sets(files.at(kGameInit), "sv_rcon_banpenalty \"60\""));
  BOOST_TEST(sets(files.at(kAmxx), "amx_vote_delay 60"));
  BOOST_TEST(sets(files.at(kAmxx), "amx_perflog_ms 1.0"));
}

BOOST_AUTO_TEST_CASE(settings_of_a_component_show_with_it_alone) {
  const std::string flood = "sv_rehlds_stringcmdrate_max_avg \"250\"";
  BOOST_TEST(sets(edited(kDefaults).at(kGameInit), flood));
  BOOST_TEST(!sets(edited("regamedll-cs,metamod-r").at(kGameInit), flood));

  const std::string slow_calls = "amx_perflog_ms 1.0";
  BOOST_TEST(!sets(edited("metamod-r,amxmodx-1-9").at(kAmxx), slow_calls));

  const std::string spawns = "mp_kill_filled_spawn \"0\"";
  BOOST_TEST(!sets(edited(kDefaults).at(kGame), spawns));
  BOOST_TEST(sets(edited(kDefaults + ",resemiclip").at(kGame), spawns));

  const std::string bots_pass = "yb_has_team_semiclip \"1\"";
  BOOST_TEST(!sets(edited(kDefaults + ",yapb").at(kYapb), bots_pass));
  BOOST_TEST(sets(edited(kDefaults + ",yapb,resemiclip").at(kYapb), bots_pass));

  const std::string hostages = "hostage_ai_enable \"1\"";
  BOOST_TEST(!sets(edited(kDefaults).at(kGameInit), hostages));
  BOOST_TEST(sets(edited(kDefaults + ",hostage-improv").at(kGameInit), hostages));
}

// Whoever is kicked joins again; a ban is of everybody behind the address.
BOOST_AUTO_TEST_CASE(floods_of_commands_kick_and_do_not_ban) {
  const std::string tuned = edited(kDefaults).at(kGameInit);
  for (const char* limit :
       {"stringcmdrate_avg", "stringcmdrate_burst", "movecmdrate_avg", "movecmdrate_burst"}) {
    BOOST_TEST(sets(tuned, "sv_rehlds_" + std::string(limit) + "_punish \"-1\""), limit);
  }
}

// Version 3 without a salt is a Reunion that does not load, and an archive can't hold a secret one.
BOOST_AUTO_TEST_CASE(reunion_starts_without_a_secret) {
  const std::string reunion = edited(kDefaults + ",reunion").at(kReunion);
  BOOST_TEST(sets(reunion, "AuthVersion = 2"));
  BOOST_TEST(sets(reunion, "SteamIdHashSalt ="));
}

BOOST_AUTO_TEST_CASE(a_console_file_fits_the_engines_command_buffer) {
  std::string everything = kDefaults + ",reunion,resemiclip,yapb,hostage-improv";
  for (const auto& [path, content] : edited(everything)) {
    BOOST_TEST(content.size() < 12'000U, path);  // of 16,384 bytes, which others share
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
