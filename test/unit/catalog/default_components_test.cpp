// The default catalog's components: complete, in order, and at peace with their own rules.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "app/base/file.hpp"
#include "app/base/glob.hpp"
#include "app/base/text.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/license.hpp"
#include "test/unit/catalog/default_catalog.hpp"

namespace goldsmith::test {
namespace {

using domain::Layer;
using domain::RuleKind;
using Texts = std::vector<std::string>;
using Slugs = std::vector<domain::Slug>;

Slugs rules_of(const domain::Component& component, RuleKind kind) {
  Slugs named;
  for (const domain::Rule& rule : component.rules) {
    if (rule.kind == kind) named.push_back(rule.component);
  }
  return named;
}

bool clash(const domain::Component& left, const domain::Component& right) {
  const auto names = [](const domain::Component& from, const domain::Component& to) {
    const Slugs conflicts = rules_of(from, RuleKind::conflicts);
    return std::find(conflicts.begin(), conflicts.end(), to.slug) != conflicts.end();
  };
  const bool same_place = left.layer == right.layer && domain::info(left.layer).exclusive;
  return same_place || names(left, right) || names(right, left);
}

// A stack around one component: what it requires, and the defaults that it can be with.
std::set<domain::Slug> stack_around(const domain::Slug& slug) {
  std::set<domain::Slug> stack = {slug};
  Slugs open = {slug};
  while (!open.empty()) {
    const domain::Component& next = component(open.back());
    open.pop_back();
    for (const domain::Slug& required : rules_of(next, RuleKind::requires_)) {
      const bool fits = std::none_of(stack.begin(), stack.end(), [&](const domain::Slug& each) {
        return each != required && clash(component(each), component(required));
      });
      if (fits && stack.insert(required).second) open.push_back(required);
    }
  }
  for (const domain::Component& each : components()) {
    const bool fits = std::none_of(stack.begin(), stack.end(), [&](const domain::Slug& other) {
      return other != each.slug && clash(component(other), each);
    });
    if (each.is_default && fits) stack.insert(each.slug);
  }
  return stack;
}

creator::SelectionResult select(const std::string& wanted) {
  return creator::select(creator::parse_selection_request(wanted, std::nullopt, false),
                         mirrored_catalog(), {});
}

std::string joined(const std::set<domain::Slug>& slugs) {
  std::string text;
  for (const domain::Slug& slug : slugs) text += slug + ",";
  return text;
}

enum class Turn { auth, platform, module, voice, play, bots, other };

Turn turn_of(Layer layer) {
  static const std::map<Layer, Turn> turns = {
      {Layer::auth, Turn::auth},   {Layer::amxmodx, Turn::platform}, {Layer::module, Turn::module},
      {Layer::voice, Turn::voice}, {Layer::anticheat, Turn::play},   {Layer::content, Turn::play},
      {Layer::bots, Turn::bots}};
  const auto found = turns.find(layer);
  return found == turns.end() ? Turn::other : found->second;
}

bool is_hex(const std::string& text, std::size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(default_components)

BOOST_AUTO_TEST_CASE(the_default_stack_keeps_its_own_rules) {
  const creator::SelectionResult result = select("");
  BOOST_TEST_REQUIRE(std::holds_alternative<creator::Selection>(result));
  Texts slugs;
  for (const creator::Selected& each : std::get<creator::Selection>(result).components) {
    slugs.push_back(each.component->slug.str());
  }
  BOOST_TEST((slugs == Texts{"rehlds", "regamedll-cs", "metamod-r", "amxmodx-1-10", "reapi"}));
}

BOOST_AUTO_TEST_CASE(every_component_can_be_part_of_some_stack) {
  for (const domain::Component& each : components()) {
    if (!each.selectable) continue;
    const std::string stack = joined(stack_around(each.slug));
    BOOST_TEST(std::holds_alternative<creator::Selection>(select(stack)), stack);
  }
}

BOOST_AUTO_TEST_CASE(what_needs_one_component_of_an_exclusive_layer_is_refused_with_another) {
  for (const char* stack :
       {"hlds,regamedll-cs,metamod-r,reunion", "rehlds,metamod-r,dproto",
        "rehlds,metamod-r,dproto,revoice-plus", "rehlds,cs-stock,metamod-r,amxmodx-1-10,reapi",
        "rehlds,cs-stock,metamod-r,resemiclip", "rehlds,metamod-am", "rehlds,metamod-p",
        "rehlds,metamod-r,yapb,podbot-mm", "rehlds,metamod-r,reunion,revoice,revoice-plus",
        "rehlds,regamedll-cs,metamod-r,amxmodx-1-9,reapi,redeathmatch"}) {
    const creator::SelectionResult result = select(stack);
    BOOST_TEST_REQUIRE(std::holds_alternative<creator::InvalidSelection>(result), stack);
    BOOST_TEST(!std::get<creator::InvalidSelection>(result).conflicts.empty(), stack);
  }
}

BOOST_AUTO_TEST_CASE(every_rule_names_another_component_and_gives_a_reason) {
  for (const domain::Component& each : components()) {
    for (const domain::Rule& rule : each.rules) {
      BOOST_TEST_CONTEXT(each.slug << ' ' << domain::to_string(rule.kind) << ' '
                                   << rule.component) {
        BOOST_CHECK_NO_THROW(component(rule.component));
        BOOST_TEST(rule.note.ends_with('.'));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_conflict_is_said_once) {
  for (const domain::Component& each : components()) {
    for (const domain::Slug& other : rules_of(each, RuleKind::conflicts)) {
      const Slugs back = rules_of(component(other), RuleKind::conflicts);
      BOOST_TEST((std::find(back.begin(), back.end(), each.slug) == back.end()),
                 each.slug << " and " << other);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_nobody_can_choose_is_bundled_by_something) {
  std::set<domain::Slug> bundled;
  for (const domain::Component& each : components()) {
    for (const domain::Slug& other : rules_of(each, RuleKind::bundles)) bundled.insert(other);
  }
  for (const domain::Component& each : components()) {
    BOOST_TEST((each.selectable || bundled.contains(each.slug)), each.slug);
  }
}

BOOST_AUTO_TEST_CASE(plugins_load_in_the_order_that_works) {
  for (const domain::Component& left : components()) {
    for (const domain::Component& right : components()) {
      if (!left.loads.metamod_plugin || !right.loads.metamod_plugin) continue;
      BOOST_TEST_REQUIRE((turn_of(left.layer) != Turn::other), left.slug);
      if (turn_of(left.layer) < turn_of(right.layer)) {
        BOOST_TEST(left.sort_order < right.sort_order, left.slug << " before " << right.slug);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_a_component_requires_loads_before_it) {
  for (const domain::Component& each : components()) {
    for (const domain::Slug& required : rules_of(each, RuleKind::requires_)) {
      BOOST_TEST(component(required).sort_order < each.sort_order, each.slug << ": " << required);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_layer_says_what_it_loads) {
  for (const domain::Component& each : components()) {
    BOOST_TEST_CONTEXT(each.slug) {
      BOOST_TEST(each.loads.gamedll.has_value() == (each.layer == Layer::gamedll));
      BOOST_TEST(each.loads.metamod_loader.has_value() == (each.layer == Layer::metamod));
      BOOST_TEST(each.loads.toolchain.has_value() == (each.layer == Layer::amxmodx));
      const bool is_plugin = each.loads.metamod_plugin.has_value();
      const Slugs needs = rules_of(each, RuleKind::requires_);
      const bool needs_loader = std::find(needs.begin(), needs.end(), "metamod-r") != needs.end();
      BOOST_TEST(is_plugin == needs_loader);
    }
  }
}

BOOST_AUTO_TEST_CASE(files_land_below_cstrike_unless_they_are_the_engines) {
  for (const domain::Component& each : components()) {
    if (each.layer == Layer::engine) continue;
    for (const domain::PathMap& map : each.install.map) {
      const bool keeps_cstrike = each.layer == Layer::gamedll && map.from == "bin/linux32/";
      BOOST_TEST((keeps_cstrike || map.to.starts_with("cstrike/")), each.slug << ": " << map.from);
    }
  }
}

BOOST_AUTO_TEST_CASE(owners_files_are_configuration_and_programs_are_not) {
  const auto is_configuration_of = [](std::string_view slug, std::string_view path) {
    return domain::is_configuration(component(*domain::Slug::parse(slug)), path);
  };
  BOOST_TEST(is_configuration_of("amxmodx-1-10", "cstrike/addons/amxmodx/configs/users.ini"));
  BOOST_TEST(is_configuration_of("amxmodx-1-9", "cstrike/addons/amxmodx/configs/maps/a.cfg"));
  BOOST_TEST(is_configuration_of("hlds", "cstrike/server.cfg"));
  BOOST_TEST(is_configuration_of("metamod-r", "cstrike/addons/metamod/config.ini"));
  BOOST_TEST(is_configuration_of("reunion", "cstrike/addons/reunion/reunion.cfg"));
  BOOST_TEST(is_configuration_of("yapb", "cstrike/addons/yapb/conf/yapb.cfg"));
  for (const domain::Component& each : components()) {
    for (const char* path : {"cstrike/liblist.gam", "hlds_linux", "engine_i486.so",
                             "cstrike/addons/amxmodx/dlls/amxmodx_mm_i386.so"}) {
      BOOST_TEST(!domain::is_configuration(each, path), each.slug + " " + path);
    }
  }
}

// Otherwise a build would have a file that nobody reads, or one that an update replaces.
BOOST_AUTO_TEST_CASE(what_a_component_looks_for_is_its_owners_and_where_it_looks) {
  for (const domain::Component& each : components()) {
    for (const domain::Places& places : each.places) {
      BOOST_TEST_CONTEXT(each.slug << ' ' << places.file) {
        std::string beside;
        for (const auto& library : {each.loads.metamod_plugin, each.loads.metamod_loader}) {
          if (library) beside = "cstrike/" + library->substr(0, library->rfind('/') + 1);
        }
        BOOST_TEST(!beside.empty());
        Texts found = places.looked_for;
        for (std::string& place : found) {
          if (!place.starts_with(domain::kLibraryFolder)) continue;
          place.replace(0, domain::kLibraryFolder.size(), beside);
        }
        BOOST_TEST((std::ranges::find(found, places.file) != found.end()));
        BOOST_TEST(domain::is_configuration(each, places.file));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_decides_who_a_player_is_is_known_of_both_authentications) {
  for (const domain::Slug& slug : Slugs{"reunion", "dproto"}) {
    const std::vector<domain::Places>& places = component(slug).places;
    BOOST_TEST_REQUIRE(places.size() == 1U);
    BOOST_TEST(
        (std::ranges::find(places[0].identity, "SteamIdHashSalt") != places[0].identity.end()));
    BOOST_TEST(std::ranges::count_if(places[0].identity, [](const std::string& setting) {
                 return setting.starts_with("cid_");
               }) == 13);
  }
  BOOST_TEST((component("reunion").places[0].looked_for ==
              Texts{"@library/reunion.cfg", "cstrike/reunion.cfg", "reunion.cfg"}));
  BOOST_TEST(
      (component("dproto").places[0].looked_for == Texts{"dproto.cfg", "cstrike/dproto.cfg"}));
}

BOOST_AUTO_TEST_CASE(every_component_is_in_the_table_of_the_manual) {
  const std::string manual = base::read_file(GOLDSMITH_SOURCE_DIR "/db/catalog/README.md");
  std::set<std::string> named;
  for (const std::string_view line : base::split(manual, '\n')) {
    const auto cells = base::split(line, '|');  // of "| State | Components |"
    if (cells.size() != 4) continue;
    for (const std::string_view name : base::split(cells[2], ',')) {
      named.emplace(base::trim_ascii(name));
    }
  }
  for (const domain::Component& each : components()) {
    BOOST_TEST(named.contains(each.slug.str()), each.slug);
  }
}

BOOST_AUTO_TEST_CASE(every_component_has_words_for_people) {
  for (const domain::Component& each : components()) {
    BOOST_TEST(each.description.ends_with('.'), each.slug);
    BOOST_TEST(!each.license.empty(), each.slug);
    for (const domain::LicenseTerm& term : domain::parse_license(each.license).terms) {
      BOOST_TEST(!domain::is_deprecated_license(term.id), each.slug);
    }
    for (const domain::Advice& advice : each.advice) {
      BOOST_TEST(advice.text.size() > 20U, each.slug);
    }
  }
}

// ReAPI 383, fixed after 5.29.0.358; ReGameDLL_CS 1165, fixed after 5.30.0.814.
BOOST_AUTO_TEST_CASE(versions_that_are_known_to_be_bad_are_held_or_told) {
  const domain::Component& reapi = component("reapi");
  BOOST_TEST(reapi.holding_defect("5.29.0.358") != nullptr);
  BOOST_TEST(reapi.holding_defect("5.26.0.338") == nullptr);
  domain::ComponentVersion version;
  version.version = "5.30.0.814";
  BOOST_TEST(component("regamedll-cs").told_defects(version).size() == 1U);
  BOOST_TEST(component("regamedll-cs").holding_defect("5.30.0.814") == nullptr);
  for (const domain::Component& each : components()) {
    for (const domain::Defect& defect : each.defects) {
      BOOST_TEST(defect.text.ends_with('.'), each.slug);
      BOOST_TEST(defect.source.starts_with("https://"), each.slug);
    }
  }
}

// As `readelf -lW` shows it for the releases: of ReHLDS those up to 3.14.0.857 do, of AMX Mod X
// all.
BOOST_AUTO_TEST_CASE(advice_about_executable_stacks_is_of_the_versions_that_ask_for_one) {
  std::set<std::string> advised;
  const std::map<std::string, std::vector<std::string>> versions{
      {"rehlds", {"3.9.0.752", "3.14.0.857", "3.15.0.896", "3.16.0.1"}},
      {"amxmodx-1-9", {"1.9.0.5294"}},
      {"amxmodx-1-10", {"1.10.0.5467"}}};
  for (const domain::Component& each : components()) {
    for (const domain::Advice& advice : each.advice) {
      if (advice.text.find("executable stack") == std::string::npos) continue;
      BOOST_TEST_REQUIRE(versions.contains(each.slug.str()), each.slug);
      for (const std::string& version : versions.at(each.slug.str())) {
        if (advice.versions.contains(version)) advised.insert(each.slug + " " + version);
      }
    }
  }
  const std::set<std::string> expected{"rehlds 3.9.0.752", "rehlds 3.14.0.857",
                                       "amxmodx-1-9 1.9.0.5294", "amxmodx-1-10 1.10.0.5467"};
  BOOST_TEST(advised == expected, boost::test_tools::per_element());
}

// 4 came with 0.2.0.30: older ones take it for 2, and newer ones make other Steam IDs with 3.
BOOST_AUTO_TEST_CASE(advice_about_reunion_names_the_auth_version_of_its_version) {
  const std::map<std::string, std::string> expected{
      {"0.2.0.13", "3"}, {"0.2.0.25", "3"}, {"0.2.0.30", "4"}, {"0.2.0.34", "4"}};
  for (const auto& [version, auth_version] : expected) {
    std::string advised;
    for (const domain::Advice& advice : component("reunion").advice) {
      const std::string words = "set AuthVersion to ";
      const std::size_t at = advice.text.find(words);
      if (at == std::string::npos || !advice.versions.contains(version)) continue;
      advised += advice.text.substr(at + words.size(), 1);
    }
    BOOST_TEST(advised == auth_version, version);
  }
}

// As what it looks for in engine_i486.so is there up to 3.13.0.788, and gone in 3.14.0.857.
BOOST_AUTO_TEST_CASE(safenameandchat_is_refused_with_the_engines_that_it_crashes) {
  std::set<std::string> refused;
  for (const domain::Rule& rule : component("safenameandchat").rules) {
    if (rule.kind != RuleKind::conflicts || rule.component != "rehlds") continue;
    for (const char* version : {"1.2Beta2", "1.2Beta3", "1.2Beta4"}) {
      for (const char* engine : {"3.13.0.788", "3.14.0.857", "3.15.0.896"}) {
        if (rule.versions.contains(version) && rule.with.contains(engine)) {
          refused.insert(std::string(version) + " " + engine);
        }
      }
    }
  }
  const std::set<std::string> expected{"1.2Beta2 3.14.0.857", "1.2Beta2 3.15.0.896",
                                       "1.2Beta3 3.14.0.857", "1.2Beta3 3.15.0.896"};
  BOOST_TEST(refused == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(files_of_releases_that_are_no_archives_are_named_by_their_upstream) {
  for (const domain::Component& each : components()) {
    for (const domain::PathMap& map : each.install.map) {
      if (!map.is_file) continue;
      const auto& urls = each.upstream.urls;
      const auto is_named = [&](const std::string& url) {
        return base::matches_glob(map.from, std::string_view(url).substr(url.rfind('/') + 1));
      };
      BOOST_TEST(std::count_if(urls.begin(), urls.end(), is_named) == 1, each.slug + map.from);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_address_is_https) {
  for (const domain::Component& each : components()) {
    BOOST_TEST((each.homepage.empty() || each.homepage.starts_with("https://")), each.slug);
    for (const std::string& url : each.upstream.urls) {
      BOOST_TEST(url.starts_with("https://"), each.slug);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_may_not_be_passed_on_has_no_upstream) {
  for (const domain::Component& each : components()) {
    const bool is_closed =
        each.license.starts_with("LicenseRef-Proprietary") || each.license == "LicenseRef-Unknown";
    BOOST_TEST((!is_closed || each.upstream.empty()), each.slug);
    BOOST_TEST((!each.is_default || !each.upstream.empty()), each.slug);
  }
}

// A key that no package brings along would leave a fresh host without that component.
BOOST_AUTO_TEST_CASE(pinned_digests_are_whole_each_is_one_files_and_no_key_is_asked_for) {
  std::map<std::string, std::string> version_of;
  for (const domain::Component& each : components()) {
    for (const auto& [version, digests] : each.upstream.sha256) {
      for (const std::string& digest : digests) {
        BOOST_TEST(is_hex(digest, 64), each.slug << ' ' << version);
        BOOST_TEST(version_of.emplace(digest, each.slug + version).second, digest);
      }
    }
    BOOST_TEST(!each.upstream.signature, each.slug);
  }
  BOOST_TEST(version_of.size() >= 15U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
