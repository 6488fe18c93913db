// Files that plugins precache (decision S27).
#include "app/creator/precached_files.hpp"

#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using Files = std::vector<PrecachedFile>;

// The notes of a build with one plugin of this source, and with `more` files of its version.
std::vector<std::string> notes_of(const std::string& source,
                                  std::vector<domain::PluginFile> more = {}) {
  const domain::Catalog catalog = catalog_of(usual_stack());
  PluginOutcome plugin = compiled("hats", "hats", std::move(more));
  for (domain::PluginFile& file : std::get<CompiledPlugin>(plugin.result).version.files) {
    if (file.is_primary) file.content = source;
  }
  const Plan plan = planned(parse_selection_request(std::nullopt, std::nullopt, false), catalog,
                            {std::move(plugin)});
  return plan.requested.at(0).notes;
}

BOOST_AUTO_TEST_SUITE(files_that_plugins_precache)

BOOST_AUTO_TEST_CASE(literals_of_all_functions_are_found) {
  const Files found = precached_files(R"(
    precache_model("models/Hat.mdl");
    g_sprite = precache_model ( "sprites\glow.spr" );
    precache_sound("misc/hat.wav"); precache_generic("sound/music/hat.mp3");
    engfunc(EngFunc_PrecacheModel, "models/cap.mdl"); engfunc(EngFunc_PrecacheSound,"misc/cap.wav");
    precache_model("models/Hat.mdl");
  )");
  BOOST_TEST((found == Files{{"models/cap.mdl", true},
                             {"models/hat.mdl", true},
                             {"sound/misc/cap.wav", false},
                             {"sound/misc/hat.wav", false},
                             {"sound/music/hat.mp3", false},
                             {"sprites/glow.spr", true}}));
}

BOOST_AUTO_TEST_CASE(what_is_no_literal_path_is_not_known) {
  for (const char* source :
       {"precache_model(name)", "precache_model(\"models/%s.mdl\")", "precache_model(\"../x.mdl\")",
        "precache_model(\"/etc/x.mdl\")", "precache_model(\"models/x.mdl", "precache_model(",
        "precache_model(\"models/x.mdl\n\")", "my_precache_model(\"models/x.mdl\")",
        "precache_models(\"models/x.mdl\")", "precache_model(\"nothing\")",
        "// precache_model(\"models/x.mdl\")", "/* a \n precache_model(\"models/x.mdl\") */",
        "precache_model(/* unended", "precache_model(\"models/a^\"b.mdl\")", "recache"}) {
    BOOST_TEST(precached_files(source).empty(), source);
  }
  BOOST_TEST(precached_files("log(\"//\"); precache_model(\"models/x.mdl\")").size() == 1U);
  BOOST_TEST(precached_files("log(\"a^\"//\"); precache_model(\"models/x.mdl\")").size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_heap_of_names_is_bounded) {
  std::string source;
  for (int i = 0; i < 2000; ++i) {
    source += "precache_model(\"models/" + std::to_string(i) + ".mdl\");\n";
  }
  BOOST_TEST(precached_files(source).size() == kMaxPrecachedFiles);
}

BOOST_AUTO_TEST_CASE(the_games_own_files_are_sorted_and_known) {
  BOOST_TEST(is_in_base_game("models/player/gsg9/gsg9.mdl"));
  BOOST_TEST(is_in_base_game("models/rpgrocket.mdl"));
  BOOST_TEST(is_in_base_game("sound/weapons/ak47-1.wav"));
  BOOST_TEST(!is_in_base_game("models/hat.mdl"));
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_a_note_of_the_plugin) {
  BOOST_TEST((notes_of("precache_model(\"models/hat.mdl\")") ==
              std::vector<std::string>{
                  "Plugin \"hats\": it needs models/hat.mdl, which is in no part of this server. A "
                  "map does not start without a model that a plugin precaches: add the file unless "
                  "your game has it."}));
  BOOST_TEST(notes_of("precache_model(\"models/w_ak47.mdl\")").empty());
  BOOST_TEST(
      notes_of("precache_model(\"models/hat.mdl\")", {plugin_file("models", "Hat.mdl", "a model")})
          .empty());
}

BOOST_AUTO_TEST_CASE(the_first_few_are_named_models_first) {
  BOOST_TEST(missing_files_remark({{"sound/a.wav", false}}) ==
             "it needs sound/a.wav, which is in no part of this server. Players miss what is not "
             "there: add the file unless your game has it.");
  const std::string remark = missing_files_remark({{"sound/a.wav", false},
                                                   {"sound/b.wav", false},
                                                   {"sound/c.wav", false},
                                                   {"sprites/d.spr", true}});
  BOOST_TEST(remark.starts_with("it needs sprites/d.spr, sound/a.wav, sound/b.wav and 1 more, "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace goldsmith::creator
