#include "handlers/documents/update_facts.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "app/base/text.hpp"

namespace goldsmith::handlers::documents {
namespace facts_of_an_update {
namespace {

using domain::Layer;
using domain::RuleKind;
using Lines = std::vector<std::string>;

// A catalog, and a build of some of its components in their first versions.
struct Build {
  // `libraries`: those of each version, the newest first.
  domain::Component& add(const domain::Slug& slug, Layer layer,
                         const std::vector<Lines>& libraries) {
    domain::Component component;
    component.slug = slug;
    component.name = "The " + slug;
    component.layer = layer;
    component.sort_order = static_cast<std::int64_t>(components.size());
    std::size_t number = libraries.size();
    for (const Lines& paths : libraries) {
      domain::ComponentVersion version;
      version.version = *domain::Version::parse(std::to_string(number));
      version.released_at = domain::Timestamp(std::chrono::seconds(number--));
      for (const std::string& path : paths) version.files.push_back({path, 1, false});
      files[{slug, version.version}] = version.files;
      component.versions.push_back(std::move(version));
    }
    components.push_back(std::move(component));
    return components.back();
  }

  Lines lines(const std::vector<domain::Slug>& wanted) const {
    const domain::Catalog catalog(components);
    creator::Plan plan;
    for (const domain::Component& each : catalog.components()) {
      if (std::ranges::find(wanted, each.slug) == wanted.end()) continue;
      plan.selection.components.push_back({&each, &each.versions.front(), false});
    }
    const std::string text = update_facts(plan, catalog, files, "https://site/download?x=1");
    Lines all;
    for (const std::string_view line : base::split(text, '\n')) all.emplace_back(line);
    return all;
  }
  // Those that begin with the word.
  Lines lines(const std::vector<domain::Slug>& wanted, const std::string& word) const {
    Lines found = lines(wanted);
    std::erase_if(found, [&](const std::string& each) { return !each.starts_with(word + "\t"); });
    return found;
  }

  std::vector<domain::Component> components;
  domain::VersionFiles files;
};

domain::Rule conflict_with(const domain::Slug& slug, std::string note,
                           std::string_view versions = "", std::string_view with = "") {
  const auto range = [](std::string_view text) {
    return text.empty() ? domain::VersionRange() : *domain::VersionRange::parse(text);
  };
  return {RuleKind::conflicts, slug, std::move(note), range(versions), range(with)};
}

}  // namespace
}  // namespace facts_of_an_update

BOOST_FIXTURE_TEST_SUITE(facts_of_an_update, Build)

BOOST_AUTO_TEST_CASE(are_those_of_each_component_in_load_order) {
  add("engine", Layer::engine, {{"core.so", "engine_i486.so"}});
  domain::Component& auth =
      add("auth", Layer::auth, {{"cstrike/addons/a/a_mm.so", "cstrike/addons/a/helper.so"}});
  auth.loads.metamod_plugin = "addons/a/a_mm.so";
  auth.places = {{"cstrike/addons/a/a.cfg", {"@library/a.cfg", "a.cfg"}, {"Salt", "Kind of"}},
                 {"b.cfg", {"b.cfg"}}};
  auth.secrets = {{"cstrike/addons/a/a.cfg", "Salt ="}, {"server.cfg", "password", true}};
  add("module", Layer::module, {{"cstrike/m/two.so", "cstrike/m/one.so", "cstrike/m/read.txt"}});
  const Lines expected{"goldsmith-update-facts 1",
                       "download\thttps://site/download?x=1",
                       "component\tengine\t1\tengine\tThe engine",
                       "loads\tengine_i486.so",
                       "component\tauth\t1\tauth\tThe auth",
                       "loads\tcstrike/addons/a/a_mm.so",
                       "reads\tcstrike/addons/a/a.cfg\t@library/a.cfg\ta.cfg",
                       "identity\tcstrike/addons/a/a.cfg\tSalt",
                       "identity\tcstrike/addons/a/a.cfg\tKind of",
                       "reads\tb.cfg\tb.cfg",
                       "make\tcstrike/addons/a/a.cfg\tSalt =",
                       "suggest\tserver.cfg\tpassword",
                       "component\tmodule\t1\tmodule\tThe module",
                       "loads\tcstrike/m/one.so",
                       "loads\tcstrike/m/two.so",
                       "replaces\ta_mm.so\tauth\tauth\tThe auth",
                       "replaces\tone.so\tmodule\tmodule\tThe module",
                       "replaces\ttwo.so\tmodule\tmodule\tThe module",
                       "end",
                       ""};
  BOOST_TEST(lines({"engine", "auth", "module"}) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(name_the_libraries_of_every_version_in_lower_case) {
  add("voice", Layer::voice,
      {{"cstrike/addons/v/Voice_MM.so"},
       {"cstrike/addons/old/voice.so", "cstrike/addons/old/x.so"}})
      .loads.metamod_plugin = "addons/v/Voice_MM.so";
  BOOST_TEST(
      (lines({"voice"}, "replaces") == Lines{"replaces\tvoice.so\tvoice\tvoice\tThe voice",
                                             "replaces\tvoice_mm.so\tvoice\tvoice\tThe voice",
                                             "replaces\tx.so\tvoice\tvoice\tThe voice"}));
}

BOOST_AUTO_TEST_CASE(name_the_content_of_every_version_where_it_is_recorded) {
  add("voice", Layer::voice, {{"cstrike/voice.so"}, {"cstrike/voice.so"}});
  files.begin()->second.front().sha256 = std::string(64, 'f');
  BOOST_TEST((lines({"voice"}, "replaces") ==
              Lines{"replaces\t" + std::string(64, 'f') + "\tvoice\tvoice\tThe voice",
                    "replaces\tvoice.so\tvoice\tvoice\tThe voice"}));
}

BOOST_AUTO_TEST_CASE(name_what_the_build_fills_otherwise_once) {
  add("loader", Layer::metamod, {{"cstrike/addons/metamod/metamod_i386.so"}}).loads.metamod_loader =
      "addons/metamod/metamod_i386.so";
  add("other", Layer::metamod, {{"cstrike/addons/metamod/dlls/metamod.so"}});
  add("never-mirrored", Layer::metamod, {}).loads.metamod_loader = "addons/m/Meta.so";
  add("fork", Layer::metamod, {{"cstrike/addons/metamod/metamod_i386.so"}});
  add("voice", Layer::voice, {{"cstrike/v.so"}});
  add("other-voice", Layer::voice, {{"cstrike/w.so"}});
  add("game", Layer::gamedll, {{"cstrike/dlls/cs.so"}});
  add("other-game", Layer::gamedll, {{"cstrike/dlls/other.so"}});
  BOOST_TEST((lines({"loader", "voice", "game"}, "replaces") ==
              Lines{"replaces\tmetamod_i386.so\tloader\tmetamod\tThe loader",
                    "replaces\tv.so\tvoice\tvoice\tThe voice",
                    "replaces\tmetamod.so\tother\tmetamod\tThe other",
                    "replaces\tmeta.so\tnever-mirrored\tmetamod\tThe never-mirrored"}));
  BOOST_TEST(lines({"loader", "voice", "game"}, "conflicts").empty());
}

BOOST_AUTO_TEST_CASE(tell_what_a_rule_forbids_whichever_way_round) {
  add("engine", Layer::engine, {{"engine_i486.so"}});
  domain::Component& auth = add("auth", Layer::auth, {{"cstrike/auth.so"}});
  auth.rules = {conflict_with("fishy", "No.\n\tNot at all.")};
  domain::Component& closed = add("closed", Layer::auth, {});
  closed.loads.metamod_plugin = "addons/closed/Closed.so";
  closed.rules = {conflict_with("engine", "It patches another engine.")};
  add("fishy", Layer::content, {{"cstrike/fishy.so", "cstrike/auth.so"}});
  BOOST_TEST((lines({"engine", "auth"}, "conflicts") ==
              Lines{"conflicts\tclosed.so\tclosed\tauth\tThe closed\tIt patches another engine.",
                    "conflicts\tfishy.so\tfishy\tcontent\tThe fishy\tNo.  Not at all."}));
  BOOST_TEST((lines({"engine"}, "conflicts") ==
              Lines{"conflicts\tclosed.so\tclosed\tauth\tThe closed\tIt patches another engine."}));
  BOOST_TEST(lines({"auth"}, "conflicts").size() == 1U);
}

BOOST_AUTO_TEST_CASE(tell_it_only_of_what_has_no_version_that_goes_with_the_build) {
  add("engine", Layer::engine, {{"engine_i486.so"}});
  domain::Component& plugin =
      add("plugin", Layer::content, {{"cstrike/plugin.so"}, {"cstrike/plugin.so"}});
  plugin.rules = {conflict_with("engine", "Old ones crash.", "<2", ">=1")};
  BOOST_TEST(lines({"engine"}, "conflicts").empty());
  plugin.rules = {conflict_with("engine", "All crash.", "<=2", ">=1")};
  BOOST_TEST((lines({"engine"}, "conflicts") ==
              Lines{"conflicts\tplugin.so\tplugin\tcontent\tThe plugin\tAll crash."}));
  plugin.rules = {conflict_with("engine", "With others.", "", ">=2")};
  BOOST_TEST(lines({"engine"}, "conflicts").empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::handlers::documents
