#include "app/start/stand_ins.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <string>

using namespace goldsmith::start;

namespace {

std::map<std::string, std::string> made_in(std::string_view game) {
  std::map<std::string, std::string> files;
  for (auto& file : stand_ins(game)) {
    const bool is_new = files.emplace(file.path, std::move(file.content)).second;
    BOOST_TEST(is_new, file.path << " is there twice");
  }
  return files;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_the_game_libraries_name_is_there) {
  const auto files = made_in("cstrike");
  for (const char* path : {"valve/gfx.wad", "cstrike/models/player/vip/vip.mdl",
                           "cstrike/sprites/smoke.spr", "cstrike/sound/weapons/ak47-1.wav",
                           "cstrike/events/ak47.sc", "cstrike/maps/de_dust2.bsp"}) {
    BOOST_TEST(files.contains(path), path);
  }
  BOOST_TEST(files.contains("cstrike/maps/" + std::string(kMap) + ".bsp"));
}

// A model without one makes the engine look for NAMEt.mdl in all its folders.
BOOST_AUTO_TEST_CASE(a_model_has_its_texture) {
  const std::string model = made_in("cstrike").at("cstrike/models/player.mdl");
  BOOST_TEST(model.substr(0, 4) == "IDST");
  BOOST_TEST(model[180] == 1);
  BOOST_TEST(static_cast<unsigned char>(model[72]) + 256 * model[73] == model.size());
}

BOOST_AUTO_TEST_CASE(each_map_of_the_cycle_is_there) {
  const auto files = made_in("cstrike");
  std::size_t maps = 0;
  const std::string& cycle = files.at("cstrike/mapcycle.txt");
  for (std::size_t begin = 0; begin < cycle.size(); ++maps) {
    const std::size_t end = cycle.find('\n', begin);
    BOOST_TEST(files.contains("cstrike/maps/" + cycle.substr(begin, end - begin) + ".bsp"));
    begin = end + 1;
  }
  BOOST_TEST(maps == 25U);
}

BOOST_AUTO_TEST_CASE(a_real_games_files_come_first) {
  for (const auto& [path, content] : made_in("valve")) {
    BOOST_TEST((path.starts_with("valve/") || path == "cstrike/decals.wad"), path);
  }
}
