// Files that plugins precache (decision S27).
#include "app/pawn/named_files.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::compile {
namespace {

using pawn::kMaxPrecachedFiles;
using Files = std::vector<domain::PrecachedFile>;

Files precached_files(std::string_view source) { return pawn::named_files(source).precached; }

}  // namespace

BOOST_AUTO_TEST_SUITE(named_files_of_sources)

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

BOOST_AUTO_TEST_CASE(what_the_compilers_do_not_read_does_not_count) {
  const Files found = precached_files(R"(
#if 0
    precache_model("models/off.mdl");
#else
    precache_model("models/on.mdl");
#endif
#define LOAD precache_sound("misc/macro.wav")
    log("^"); precache_model(");
    precache_model("models/a" /* , */ );
  )");
  BOOST_TEST((found == Files{{"models/on.mdl", true}, {"sound/misc/macro.wav", false}}));
  BOOST_TEST((precached_files("#pragma ctrlchar '\\'\nprecache_model(\"models\\\\x.mdl\")") ==
              Files{{"models/x.mdl", true}}));
}

BOOST_AUTO_TEST_CASE(a_heap_of_names_is_bounded) {
  std::string source;
  for (int i = 0; i < 2000; ++i) {
    source += "precache_model(\"models/" + std::to_string(i) + ".mdl\");\n";
  }
  BOOST_TEST(precached_files(source).size() == kMaxPrecachedFiles);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::compile
