// What game clients may download of a build (decision O22).
#include <boost/test/unit_test.hpp>

#include "app/archive/resource_cache.hpp"
#include "app/creator/resources.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Layer;

domain::Catalog catalog_with(std::initializer_list<std::string_view> files) {
  return catalog_of({A("a", Layer::module).with(files)});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resources)

BOOST_AUTO_TEST_CASE(what_the_engine_sends_to_clients_is_a_resource) {
  for (const char* path :
       {"models/crate.mdl", "models/player/guard/guard.mdl", "models/player/guard/guard.bmp",
        "sound/misc/bell.wav", "sound/bell.WAV", "sound/music/intro.mp3", "sprites/glow.spr",
        "sprites/hud.txt", "maps/de_yard.bsp", "maps/de_yard.res", "maps/de_yard.txt", "yard.wad",
        "gfx/env/nightup.tga", "overviews/de_yard.bmp", "overviews/de_yard.txt", "events/shot.sc",
        "media/theme.mp3", "sound/a b/c.wav"}) {
    BOOST_TEST(is_resource(path), path);
  }
}

BOOST_AUTO_TEST_CASE(nothing_else_is) {
  for (const char* path : {"",
                           "/",
                           ".",
                           "..",
                           "models",
                           "models/",
                           "models/crate",
                           "models/.mdl",
                           "models/crate.mdl/",
                           "models/crate.mdl ",
                           "models/crate.amxx",
                           "models/crate.sma",
                           "models/crate.cfg",
                           "models/crate.ini",
                           "models/crate.so",
                           "models/crate.dll",
                           "models/crate.mdl.so",
                           "addons/amxmodx/configs/users.ini",
                           "addons/amxmodx/data/lang/common.txt",
                           "addons/models/crate.mdl",
                           "addons/../models/crate.mdl",
                           "./models/crate.mdl",
                           "Models/crate.mdl",
                           "/models/crate.mdl",
                           "server.cfg",
                           "liblist.gam",
                           "crate.mdl",
                           "motd.txt",
                           "folder/yard.wad",
                           "cstrike/models/crate.mdl",
                           "dlls/cs.so",
                           "sounds/bell.wav",
                           ".wad",
                           "events"}) {
    BOOST_TEST(!is_resource(path), path);
  }
}

BOOST_AUTO_TEST_CASE(a_resource_is_searched_where_the_engine_does) {
  const auto catalog = catalog_with({"cstrike/models/both.mdl", "valve/models/both.mdl",
                                     "valve/models/crate.mdl", "other/models/other.mdl",
                                     "models/root.mdl", "cstrike/addons/x/sound/bell.wav"});
  const Plan plan = planned(asking("a"), catalog);
  BOOST_TEST(find_resource(plan, "models/both.mdl")->path == "cstrike/models/both.mdl");
  BOOST_TEST(find_resource(plan, "models/crate.mdl")->path == "valve/models/crate.mdl");
  for (const char* absent :
       {"models/other.mdl", "models/root.mdl", "models/CRATE.mdl", "models//crate.mdl",
        "models/./crate.mdl", "models/../models/crate.mdl", "sound/bell.wav",
        "models/crate.mdl\n"}) {
    BOOST_TEST(find_resource(plan, absent) == nullptr, absent);
  }
}

BOOST_AUTO_TEST_CASE(the_paths_of_a_build_are_each_listed_once_and_lead_to_their_files) {
  const auto catalog = catalog_with({"cstrike/addons/x/x.txt", "cstrike/models/both.mdl",
                                     "cstrike/server.cfg", "cstrike/yard.wad", "hlds_linux",
                                     "valve/models/both.mdl", "valve/sound/a.wav"});
  const Plan plan = planned(asking("a"), catalog);
  BOOST_TEST((resource_paths(plan) ==
              std::vector<std::string>{"models/both.mdl", "yard.wad", "sound/a.wav"}));
  const auto without = catalog_with({"hlds_linux"});
  BOOST_TEST(resource_paths(planned(asking("a"), without)).empty());
}

BOOST_AUTO_TEST_CASE(what_is_larger_than_the_cache_takes_is_none) {
  const std::uint64_t most = archive::ResourceCache::kLargest;
  const auto catalog = catalog_of({A("a", Layer::module)
                                       .version("1", std::nullopt,
                                                {{"cstrike/maps/a.bsp", most, false},
                                                 {"cstrike/maps/b.bsp", most + 1, false}})});
  const Plan plan = planned(asking("a"), catalog);
  BOOST_TEST((resource_paths(plan) == std::vector<std::string>{"maps/a.bsp"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
