#include "app/start/stand_ins.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// What is at a point of a map, as an engine finds it.
class MapReader {
 public:
  using Point = std::array<float, 3>;

  explicit MapReader(std::string map) : map_(std::move(map)) {}

  // `hull`: 0 = of a point, 1 to 3 = of what moves.
  int contents(int hull, const Point& point) const {
    constexpr std::size_t kPlanes = 1, kNodes = 5, kClipNodes = 9, kLeaves = 10, kModels = 14;
    constexpr std::size_t kNode = 24, kClipNode = 8, kLeaf = 28, kPlane = 20;
    const bool is_point = hull == 0;
    int at = integer(lump(kModels) + 36 + 4 * static_cast<std::size_t>(hull));
    while (at >= 0) {
      const std::size_t node = is_point
                                   ? lump(kNodes) + kNode * static_cast<std::size_t>(at)
                                   : lump(kClipNodes) + kClipNode * static_cast<std::size_t>(at);
      const std::size_t plane = lump(kPlanes) + kPlane * static_cast<std::size_t>(integer(node));
      const auto axis = static_cast<std::size_t>(integer(plane + 16));
      const bool is_behind = point.at(axis) < std::bit_cast<float>(integer(plane + 12));
      at = static_cast<std::int16_t>(integer(node + 4) >> (is_behind ? 16 : 0));
    }
    return is_point ? integer(lump(kLeaves) + kLeaf * static_cast<std::size_t>(-1 - at)) : at;
  }

 private:
  std::int32_t integer(std::size_t at) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      number |= std::uint32_t{static_cast<unsigned char>(map_.at(at + i))} << (8 * i);
    }
    return static_cast<std::int32_t>(number);
  }
  std::size_t lump(std::size_t number) const {
    return static_cast<std::size_t>(integer(4 + 8 * number));
  }

  std::string map_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_map_ends_on_all_sides_and_has_a_sky) {
  constexpr int kEmpty = -1;
  constexpr int kSolid = -2;
  constexpr int kSky = -6;
  const MapReader map(made_in("cstrike").at("cstrike/maps/de_dust2.bsp"));
  for (int hull = 0; hull < 4; ++hull) {
    BOOST_TEST(map.contents(hull, {-60, 1920, 64}) == kEmpty, hull);  // where players begin
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const float step : {-5.0F, 5.0F}) {
        MapReader::Point point{0, 0, 64};
        while (point.at(axis) < 5000 && point.at(axis) > -5000 &&
               map.contents(hull, point) == kEmpty) {
          point.at(axis) += step;
        }
        const bool is_sky = hull == 0 && axis == 2 && step > 0;
        BOOST_TEST(map.contents(hull, point) == (is_sky ? kSky : kSolid), hull << ' ' << axis);
        point.at(axis) += step > 0 ? 1000 : -1000;
        BOOST_TEST(map.contents(hull, point) == kSolid, hull << ' ' << axis);
      }
    }
  }
  // A player stands 36 above the floor, and 18 where he crouches.
  BOOST_TEST(map.contents(1, {0, 0, 35}) == kSolid);
  BOOST_TEST(map.contents(1, {0, 0, 37}) == kEmpty);
  BOOST_TEST(map.contents(3, {0, 0, 19}) == kEmpty);
}

// The game finds nobody within 64 units of one, of which half of a player's width is no part.
BOOST_AUTO_TEST_CASE(all_players_find_a_place_to_begin) {
  const std::string map = made_in("cstrike").at("cstrike/maps/de_dust2.bsp");
  constexpr std::string_view kOrigin = "\"info_player_";
  std::vector<std::pair<int, int>> points;
  for (std::size_t at = 0; (at = map.find(kOrigin, at)) != std::string::npos; ++at) {
    const std::size_t origin = map.find("\"origin\" \"", at);
    std::istringstream numbers(map.substr(origin + 10, 30));
    numbers >> points.emplace_back().first >> points.back().second;
  }
  BOOST_TEST(points.size() == 32U);
  for (const auto& one : points) {
    for (const auto& other : points) {
      const double apart = std::hypot(one.first - other.first, one.second - other.second);
      BOOST_TEST((&one == &other || apart > 64 + 16 * std::sqrt(2.0)));
    }
  }
}

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
