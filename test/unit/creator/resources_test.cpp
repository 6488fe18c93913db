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

BOOST_AUTO_TEST_CASE(other_paths_are_not_for_game_clients) {
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

BOOST_AUTO_TEST_CASE(what_a_list_of_a_map_names_and_nobody_has_is_missing) {
  const auto catalog =
      catalog_with({"cstrike/maps/yard.res", "cstrike/models/Crate.mdl", "valve/yard.wad"});
  const Plan plan = planned(asking("a"), catalog);
  const std::vector<std::string> missing = missing_of_list(
      plan,
      "\xEF\xBB\xBF// made by a tool\r\n"
      "models/crate.mdl\r\n"                    // in other letters
      "yard.wad\n"                              // of valve/
      "halflife.wad\n"                          // of the game
      "  \"sound\\yard\\Bell.WAV\" // rings\n"  // quoted, with a comment and backslashes
      "sound/yard/bell.wav\n"                   // once
      "maps/yard.cfg\n"                         // nothing for clients
      "../../etc/passwd\n\n"
      "sprites/glow-of-nobody.spr");
  BOOST_TEST(
      (missing == std::vector<std::string>{"sound/yard/bell.wav", "sprites/glow-of-nobody.spr"}));
  BOOST_TEST(missing_of_list(plan, "").empty());
  std::string many;
  for (int i = 0; i < 30; ++i) many += "sound/yard/" + std::to_string(i) + ".wav\n";
  BOOST_TEST(missing_of_list(plan, many).size() == 20U);
}

BOOST_AUTO_TEST_CASE(wads_of_maps_that_nobody_has_are_missing) {
  const auto map = [](std::string path, std::vector<std::string> wads) {
    domain::ManifestFile file{std::move(path), 1, false};
    file.natives = std::move(wads);
    return file;
  };
  const auto catalog = catalog_of(
      {A("a", Layer::module)
           .version("1", std::nullopt,
                    {map("cstrike/maps/a.bsp", {"cs_dust.wad", "gone.wad", "mine.wad"}),
                     map("cstrike/maps/b.bsp", {}),
                     {"cstrike/maps/c.bsp", 1, false},
                     map("cstrike/maps/replaced.bsp", {"gone.wad"}),
                     {"cstrike/Mine.WAD", 1, false}}),
       A("b", Layer::content)
           .version("1", std::nullopt, {map("cstrike/maps/replaced.bsp", {"other.wad"})})});
  const Plan plan = planned(asking("a,b"), catalog);
  std::vector<std::string> found;
  for (const MissingFile& each : missing_wads(plan)) found.push_back(each.of + " " + each.path);
  BOOST_TEST((found == std::vector<std::string>{"cstrike/maps/a.bsp gone.wad",
                                                "cstrike/maps/replaced.bsp other.wad"}));
}

BOOST_AUTO_TEST_CASE(so_are_those_of_maps_that_plugins_bring) {
  const auto map = [](std::string name, std::vector<domain::PrecachedFile> wads) {
    domain::PluginFile file = plugin_file("maps", std::move(name), "a map");
    file.named = domain::NamedFiles{{}, std::move(wads), false};
    return file;
  };
  const domain::Catalog catalog = catalog_of(usual_stack());
  const Plan plan =
      planned(asking(""), catalog,
              {compiled("vip", "vip",
                        {map("a.bsp", {{"cs_dust.wad"}, {"gone.wad"}, {"mine.wad"}}),
                         map("a.txt", {{"gone.wad"}}), plugin_file("maps", "old.bsp", "a map"),
                         plugin_file("", "mine.wad", "textures")})});
  const std::vector<MissingFile> missing = missing_wads(plan);
  BOOST_REQUIRE(missing.size() == 1U);
  BOOST_TEST(missing[0].of == "cstrike/maps/a.bsp");
  BOOST_TEST(missing[0].path == "gone.wad");
  BOOST_TEST(!mentions(plan.notes, "gone.wad"));  // nothing precaches it
}

BOOST_AUTO_TEST_CASE(of_no_more_than_fifty_maps) {
  std::vector<domain::PluginFile> maps;
  for (int i = 0; i < 60; ++i) {
    maps.push_back(plugin_file("maps", "m" + std::to_string(i) + ".bsp", std::to_string(i)));
    maps.back().named = domain::NamedFiles{{}, {{"gone.wad"}, {"other.wad"}}, false};
  }
  const domain::Catalog catalog = catalog_of(usual_stack());
  const Plan plan = planned(asking(""), catalog, {compiled("vip", "vip", std::move(maps))});
  BOOST_TEST(missing_wads(plan).size() == 100U);
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
