#include "app/start/stand_ins.hpp"

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "app/creator/plan.hpp"

namespace goldsmith::start {
namespace {

// Numbers as the engine reads them: little-endian, one after the other.
class Bytes {
 public:
  template <std::integral Number>
  Bytes& add(Number number, std::size_t count = 1) {
    for (; count > 0; --count) {
      for (std::size_t byte = 0; byte < sizeof number; ++byte) {
        text_ += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * byte));
      }
    }
    return *this;
  }
  Bytes& add(float number) { return add(std::bit_cast<std::uint32_t>(number)); }
  Bytes& add(std::string_view text) {
    text_ += text;
    return *this;
  }
  Bytes& zeros(std::size_t count) { return add(std::uint8_t{0}, count); }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

using Int = std::int32_t;
using Short = std::int16_t;

// What the game library plays on clients: events/NAME.sc. Plugins name none.
constexpr std::string_view kEvents[] = {
    "ak47",       "aug",         "awp",   "createexplo", "createsmoke", "deagle", "decal_reset",
    "elite_left", "elite_right", "famas", "fiveseven",   "g3sg1",       "galil",  "glock18",
    "knife",      "m249",        "m3",    "m4a1",        "mac10",       "mp5n",   "p228",
    "p90",        "scout",       "sg550", "sg552",       "tmp",         "train",  "ump45",
    "usp",        "vehicle",     "xm1014"};

// Those of the game, which configurations and plugins ask for.
constexpr std::string_view kMaps[] = {
    "as_oilrig",   "cs_747",      "cs_assault", "cs_backalley", "cs_estate",
    "cs_havana",   "cs_italy",    "cs_militia", "cs_office",    "cs_siege",
    "de_airstrip", "de_aztec",    "de_cbble",   "de_chateau",   "de_dust",
    "de_dust2",    "de_inferno",  "de_nuke",    "de_piranesi",  "de_prodigy",
    "de_storm",    "de_survivor", "de_torn",    "de_train",     "de_vertigo"};

// No textures.
std::string wad() { return Bytes().add("WAD3").add(Int{0}).add(Int{12}).text(); }

// Nothing but a texture of one pixel: of a model without textures the engine looks for another file
// with them.
std::string model() {
  constexpr Int kVersion = 10;
  constexpr Int kHeader = 244;
  constexpr Int kTextures = 180;  // where the header has their number
  constexpr Int kTexture = 80;
  constexpr Int kPixel = kHeader + kTexture;
  constexpr Int kSize = kPixel + 1 + 3 * 256;
  constexpr std::size_t kName = 64;
  Bytes bytes;
  bytes.add("IDST").add(kVersion).zeros(kName).add(kSize);
  bytes.zeros(kTextures - bytes.text().size()).add(Int{1}).add(kHeader).add(kPixel);
  bytes.zeros(kHeader - bytes.text().size());
  bytes.zeros(kName).add(Int{0}).add(Int{1}, 2).add(kPixel);  // flags, width, height
  return bytes.zeros(kSize - bytes.text().size()).text();
}

// One frame of one pixel.
std::string sprite() {
  constexpr Int kVersion = 2;
  constexpr Short kColours = 256;
  Bytes bytes;
  bytes.add("IDSP").add(kVersion).add(Int{0}).add(Int{0}).add(1.0F);  // type, format, radius
  bytes.add(Int{1}, 3).add(0.0F).add(Int{0});  // width, height, frames; beam length, timing
  bytes.add(kColours).zeros(3 * kColours);
  return bytes.add(Int{0}).add(Int{0}, 2).add(Int{1}, 2).zeros(1).text();  // frame, origin, size
}

// No samples.
std::string sound() { return Bytes().add("RIFF").add(Int{4}).add("WAVE").text(); }

// A room without walls, in which everything is empty.
std::string map() {
  constexpr Int kVersion = 30;
  constexpr Int kSolid = -2;
  constexpr Int kEmpty = -1;
  constexpr Short kSecondLeaf = -2;
  constexpr Short kSize = 4096;
  Bytes plane;
  plane.add(0.0F).add(0.0F).add(1.0F).add(0.0F).add(Int{2});  // normal, distance; along z
  Bytes node;
  node.add(Int{0}).add(kSecondLeaf, 2);
  node.add(Short{-kSize}, 3).add(kSize, 3).add(Short{0}, 2);
  Bytes clip_node;
  clip_node.add(Int{0}).add(static_cast<Short>(kEmpty), 2);
  Bytes leaves;
  for (const Int contents : {kSolid, kEmpty}) {
    leaves.add(contents).add(Int{-1}).add(Short{-kSize}, 3).add(kSize, 3).add(Short{0}, 2);
    leaves.add(Int{0});  // sounds
  }
  Bytes world;
  for (const float corner : {-1.0F, 1.0F, 0.0F}) {
    for (int axis = 0; axis < 3; ++axis) world.add(corner * static_cast<float>(kSize));
  }
  world.add(Int{0}, 4).add(Int{1}).add(Int{0}, 2);  // nodes; visible leaves; faces

  const std::array<std::string, 15> lumps{
      "{\n\"classname\" \"worldspawn\"\n}\n"
      "{\n\"classname\" \"info_player_start\"\n\"origin\" \"0 0 64\"\n}\n"
      "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"64 0 64\"\n}\n" +
          std::string(1, '\0'),
      plane.text(),
      Bytes().add(Int{0}).text(),  // textures
      Bytes().zeros(12).text(),    // corners
      "",                          // visibility
      node.text(),
      "",  // placing of textures
      "",  // faces
      "",  // light
      clip_node.text(),
      leaves.text(),
      "",                               // faces of leaves
      Bytes().add(Short{0}, 2).text(),  // edges
      "",                               // edges of faces
      world.text()};
  Bytes file;
  file.add(kVersion);
  std::size_t offset = sizeof kVersion + lumps.size() * 2 * sizeof(Int);
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  for (const std::string& lump : lumps) {
    file.add(static_cast<Int>(offset)).add(static_cast<Int>(lump.size()));
    offset += padded(lump.size());
  }
  for (const std::string& lump : lumps) file.add(lump).zeros(padded(lump.size()) - lump.size());
  return file.text();
}

// What of each structure is sent to clients: the engine ends without a field of each.
std::string delta_lst() {
  std::string text;
  const auto add = [&](std::string_view structure, std::string_view field) {
    text.append(structure).append(" none\n{\n\tDEFINE_DELTA( ").append(field).append(" )\n}\n");
  };
  add("clientdata_t", "health, DT_SIGNED | DT_INTEGER, 10, 1.0");
  for (const char* state : {"entity_state_t", "entity_state_player_t", "custom_entity_state_t"}) {
    add(state, "origin[0], DT_SIGNED | DT_FLOAT, 18, 32.0");
  }
  add("usercmd_t", "msec, DT_BYTE, 8, 1.0");
  add("weapon_data_t", "m_iClip, DT_SIGNED | DT_INTEGER, 10, 1.0");
  add("event_t", "entindex, DT_INTEGER, 10, 1.0");
  return text;
}

}  // namespace

std::vector<archive::MemoryFile> stand_ins(std::string_view game) {
  const std::string folder = std::string(game) + "/";
  std::vector<archive::MemoryFile> files;
  const auto add = [&](std::string path, std::string content) {
    files.push_back({.path = std::move(path), .content = std::move(content)});
  };
  for (const char* path : {"valve/gfx.wad", "valve/decals.wad", "cstrike/decals.wad"}) {
    add(path, wad());
  }
  add("valve/delta.lst", delta_lst());
  const auto add_map = [&](std::string_view name) {
    add(folder + "maps/" + std::string(name) + ".bsp", map());
  };
  add_map(kMap);
  std::string cycle;
  for (const std::string_view name : kMaps) {
    add_map(name);
    cycle.append(name).append("\n");
  }
  add(folder + "mapcycle.txt", cycle);
  for (const std::string_view name : creator::base_game_files()) {
    if (name.ends_with(".mdl")) add(folder + std::string(name), model());
    if (name.ends_with(".spr")) add(folder + std::string(name), sprite());
    if (name.ends_with(".wav")) add(folder + std::string(name), sound());
  }
  for (const std::string_view name : kEvents) {
    add(folder + "events/" + std::string(name) + ".sc", "// nothing happens\n");
  }
  return files;
}

}  // namespace goldsmith::start
