// Files that plugins precache and servers lack (decision S27).
#include "app/creator/plugin_files.hpp"

#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

// The notes of a build with one plugin that precaches this model, and with `more` files of its
// version.
std::vector<std::string> notes_of(const std::string& model,
                                  std::vector<domain::PluginFile> more = {}) {
  const domain::Catalog catalog = catalog_of(usual_stack());
  PluginOutcome plugin = compiled("hats", "hats", std::move(more));
  for (domain::PluginFile& file : std::get<CompiledPlugin>(plugin.result).version.files) {
    if (file.is_primary) file.named = domain::NamedFiles{{}, {{model, true}}};
  }
  const Plan plan = planned(parse_selection_request(std::nullopt, std::nullopt, false), catalog,
                            {std::move(plugin)});
  return base::english(plan.requested.at(0).notes);
}

BOOST_AUTO_TEST_SUITE(files_that_plugins_precache)

BOOST_AUTO_TEST_CASE(the_games_own_files_are_sorted_and_known) {
  BOOST_TEST(is_in_base_game("models/player/gsg9/gsg9.mdl"));
  BOOST_TEST(is_in_base_game("models/rpgrocket.mdl"));
  BOOST_TEST(is_in_base_game("sound/weapons/ak47-1.wav"));
  BOOST_TEST(!is_in_base_game("models/hat.mdl"));
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_a_note_of_the_plugin) {
  BOOST_TEST((notes_of("models/hat.mdl") ==
              std::vector<std::string>{
                  "Plugin \"hats\": it needs models/hat.mdl, which is in no part of this server. A "
                  "map does not start without a model that a plugin precaches: add the file unless "
                  "your game has it."}));
  BOOST_TEST(notes_of("models/w_ak47.mdl").empty());
  BOOST_TEST(notes_of("models/hat.mdl", {plugin_file("models", "Hat.mdl", "a model")}).empty());
}

BOOST_AUTO_TEST_CASE(a_version_lacks_what_neither_it_nor_the_game_has) {
  domain::PluginVersion version;
  version.files = {plugin_file("addons/amxmodx/scripting", "hats.sma", "a source"),
                   plugin_file("addons/amxmodx/scripting/include", "hats.inc", "an include"),
                   plugin_file("models", "Own.mdl", "a model")};
  BOOST_TEST(missing_files(version).empty());
  version.files[0].named = domain::NamedFiles{
      {}, {{"models/Hat.mdl", true}, {"models/own.mdl", true}, {"models/RPGrocket.mdl", true}}};
  version.files[1].named =
      domain::NamedFiles{{}, {{"models/hat.mdl", true}, {"sound/a.wav", false}}};
  BOOST_TEST((missing_files(version) == std::vector<domain::PrecachedFile>{
                                            {"models/Hat.mdl", true}, {"sound/a.wav", false}}));
}

BOOST_AUTO_TEST_CASE(the_first_few_are_named_models_first) {
  BOOST_TEST(missing_files_remark({{"sound/a.wav", false}}) ==
             "it needs sound/a.wav, which is in no part of this server. Players miss what is not "
             "there: add the file unless your game has it.");
  const base::Message remark = missing_files_remark({{"sound/a.wav", false},
                                                     {"sound/b.wav", false},
                                                     {"sound/c.wav", false},
                                                     {"sprites/d.spr", true}});
  BOOST_TEST(remark.english().starts_with(
      "it needs sprites/d.spr, sound/a.wav, sound/b.wav and 1 more, "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace goldsmith::creator
