#include "app/start/stand_ins.hpp"

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>

#include <fmt/core.h>

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

// What the engine asks of a player that is shot at or moves: it ends without a hitbox.
struct Skeleton {
  Int bones = 0;  // each with a hitbox
  Int sequences = 0;
  Int attachments = 0;
};
constexpr Skeleton kSkeleton{1, 130, 4};

// Nothing to be seen but a texture of one pixel: of a model without textures the engine looks for
// another file with them.
std::string model(const Skeleton& of) {
  constexpr std::size_t kName = 64;
  constexpr std::size_t kLabel = 32;
  constexpr Int kHeader = 244;
  constexpr Int kCounts = 140;  // where the header has how many there are of each, and where
  constexpr Int kBone = 112;
  constexpr Int kBox = 32;
  constexpr Int kSequence = 176;
  constexpr Int kFrame = 12;  // of a bone that stands still
  constexpr Int kGroup = 104;
  constexpr Int kAttachment = 88;
  constexpr Int kTexture = 80;
  constexpr Int kPixel = 1 + 3 * 256;
  const Int groups = of.sequences > 0 ? 1 : 0;
  const Int boxes = kHeader + of.bones * kBone;
  const Int sequences = boxes + of.bones * kBox;
  const Int frames = sequences + of.sequences * kSequence;
  const Int group = frames + of.bones * kFrame;
  const Int attachments = group + groups * kGroup;
  const Int texture = attachments + of.attachments * kAttachment;
  const Int pixel = texture + kTexture;

  Bytes bytes;
  bytes.add("IDST").add(Int{10}).zeros(kName).add(pixel + kPixel);
  bytes.zeros(kCounts - bytes.text().size());
  bytes.add(of.bones).add(kHeader).add(Int{0}, 2);  // none is controlled
  bytes.add(of.bones).add(boxes).add(of.sequences).add(sequences).add(groups).add(group);
  bytes.add(Int{1}).add(texture).add(pixel).add(Int{0}, 5);  // no skins, nothing to be drawn
  bytes.add(of.attachments).add(attachments).zeros(kHeader - bytes.text().size());
  for (Int bone = 0; bone < of.bones; ++bone) {
    bytes.zeros(kLabel).add(Int{-1}).add(Int{0}).add(Int{-1}, 6).zeros(2 * 6 * sizeof(float));
  }
  for (Int bone = 0; bone < of.bones; ++bone) {
    bytes.add(bone).add(Int{0});
    for (const float side : {-16.0F, -16.0F, -36.0F, 16.0F, 16.0F, 36.0F}) bytes.add(side);
  }
  for (Int sequence = 0; sequence < of.sequences; ++sequence) {
    bytes.zeros(kLabel).add(30.0F).zeros(20).add(Int{1});  // a frame
    bytes.zeros(60).add(Int{1}).add(frames).zeros(48);     // a blend
  }
  bytes.zeros(frames + of.bones * kFrame - bytes.text().size()).zeros(groups * kGroup);
  bytes.zeros(of.attachments * kAttachment);
  bytes.zeros(kName).add(Int{0}).add(Int{1}, 2).add(pixel);  // flags, width, height
  return bytes.zeros(kPixel).text();
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

// Where players begin: both teams close to each other. The game takes no point that is less than 64
// units from somebody else, and where it finds none, kills who stands at the one that it takes.
std::string spawn_points() {
  constexpr int kOfTeam = 16;
  constexpr int kApart = 128;
  std::string text;
  for (int point = 0; point < 2 * kOfTeam; ++point) {
    const bool is_ct = point < kOfTeam;
    text += fmt::format(
        "{{\n\"classname\" \"{}\"\n\"origin\" \"{} {} 64\"\n\"angles\" \"0 {} 0\"\n}}\n",
        is_ct ? "info_player_start" : "info_player_deathmatch", is_ct ? -60 : 60,
        point % kOfTeam * kApart, is_ct ? 0 : 180);
  }
  return text;
}

// The map is a box with a sky below its ceiling, in which nothing else is. Outside of it all is
// solid, as on real maps: plugins look upwards for the sky, or anywhere for an end, and never stop
// where there is none.
constexpr Int kEmpty = -1;
constexpr Int kSolid = -2;
constexpr Int kSky = -6;
constexpr Short kMapSize = 4096;
struct Side {
  Int axis;
  float distance;
  bool is_far;  // what is behind it is where the numbers are greater
  Int behind;
};
// Each is asked for what the ones before it leave. What moves knows no sky.
constexpr std::array<Side, 7> kSides{{{2, 0.0F, false, kSolid},
                                      {0, -4000.0F, false, kSolid},
                                      {0, 4000.0F, true, kSolid},
                                      {1, -4000.0F, false, kSolid},
                                      {1, 4000.0F, true, kSolid},
                                      {2, 2064.0F, true, kSolid},
                                      {2, 2000.0F, true, kSky}}};
constexpr std::size_t kSolidSides = kSides.size() - 1;
// How far what moves reaches from its middle, to the sides, and up and down: a player, a monster, a
// player who crouches.
struct Reach {
  float wide;
  float high;
};
constexpr std::array<Reach, 3> kHulls{{{16.0F, 36.0F}, {32.0F, 32.0F}, {16.0F, 18.0F}}};

std::string planes() {
  Bytes bytes;
  const auto add = [&](const Side& side, float distance) {
    for (Int axis = 0; axis < 3; ++axis) bytes.add(axis == side.axis ? 1.0F : 0.0F);
    bytes.add(distance).add(side.axis);
  };
  for (const Side& side : kSides) add(side, side.distance);
  for (const Reach& reach : kHulls) {
    for (std::size_t i = 0; i < kSolidSides; ++i) {
      const float before = kSides[i].axis == 2 ? reach.high : reach.wide;
      add(kSides[i], kSides[i].distance + (kSides[i].is_far ? -before : before));
    }
  }
  return bytes.text();
}

void add_children(Bytes& bytes, const Side& side, Int inside, Int outside) {
  bytes.add(static_cast<Short>(side.is_far ? outside : inside));
  bytes.add(static_cast<Short>(side.is_far ? inside : outside));
}

void add_bounds(Bytes& bytes) {
  bytes.add(static_cast<Short>(-kMapSize), 3).add(kMapSize, 3).add(Short{0}, 2);
}

// Of a point. What is no other node is a leaf, counted from -1.
std::string nodes() {
  constexpr Int kSolidLeaf = -1;
  constexpr Int kEmptyLeaf = -2;
  constexpr Int kSkyLeaf = -3;
  Bytes bytes;
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    const auto at = static_cast<Int>(i);
    const Int inside = i + 1 == kSides.size() ? kEmptyLeaf : at + 1;
    bytes.add(at);
    add_children(bytes, kSides[i], inside, kSides[i].behind == kSky ? kSkyLeaf : kSolidLeaf);
    add_bounds(bytes);
  }
  return bytes.text();
}

std::string leaves() {
  Bytes bytes;
  for (const Int contents : {kSolid, kEmpty, kSky}) {
    bytes.add(contents).add(Int{-1});
    add_bounds(bytes);
    bytes.add(Int{0});  // sounds
  }
  return bytes.text();
}

std::string clip_nodes() {
  Bytes bytes;
  for (std::size_t at = 0; at < kHulls.size() * kSolidSides; ++at) {
    const bool is_last = at % kSolidSides + 1 == kSolidSides;
    bytes.add(static_cast<Int>(kSides.size() + at));
    add_children(bytes, kSides[at % kSolidSides], is_last ? kEmpty : static_cast<Int>(at) + 1,
                 kSolid);
  }
  return bytes.text();
}

std::string map() {
  constexpr Int kVersion = 30;
  Bytes world;
  for (const float corner : {-1.0F, 1.0F, 0.0F}) {
    for (int axis = 0; axis < 3; ++axis) world.add(corner * static_cast<float>(kMapSize));
  }
  world.add(Int{0});  // the first of the nodes of each hull
  for (std::size_t hull = 0; hull < kHulls.size(); ++hull) {
    world.add(static_cast<Int>(hull * kSolidSides));
  }
  world.add(Int{2}).add(Int{0}, 2);  // visible leaves; faces

  const std::array<std::string, 15> lumps{
      "{\n\"classname\" \"worldspawn\"\n}\n"
      "{\n\"classname\" \"info_bomb_target\"\n\"origin\" \"0 0 8\"\n}\n" +
          spawn_points() + std::string(1, '\0'),
      planes(),
      Bytes().add(Int{0}).text(),  // textures
      Bytes().zeros(12).text(),    // corners
      "",                          // visibility
      nodes(),
      "",  // placing of textures
      "",  // faces
      "",  // light
      clip_nodes(),
      leaves(),
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

// Where the bots of the game library may walk, as the versions since the third have it: one area.
std::string nav() {
  constexpr Int kMagic = static_cast<Int>(0xFEEDFACE);
  constexpr Int kVersion = 3;
  constexpr float kSize = 1000.0F;
  Bytes bytes;
  bytes.add(kMagic).add(kVersion).add(Int{1});  // areas
  bytes.add(Int{1}).zeros(1);                   // number, attributes
  for (const float side : {-kSize, -kSize, 0.0F, kSize, kSize, 0.0F, 0.0F, 0.0F}) bytes.add(side);
  bytes.add(Int{0}, 4);                      // neighbours, by direction
  return bytes.zeros(2).add(Int{0}).text();  // places to hide, approaches; paths
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

std::string stand_in(std::string_view path) {
  if (path.ends_with(".mdl")) {
    const bool is_player = path.starts_with("models/player/") || path == "models/player.mdl";
    return model(is_player ? kSkeleton : Skeleton{});
  }
  if (path.ends_with(".spr")) return sprite();
  return path.ends_with(".wav") ? sound() : "";
}

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
  add(folder + "maps/" + std::string(kMap) + ".nav", nav());
  std::string cycle;
  for (const std::string_view name : kMaps) {
    add_map(name);
    cycle.append(name).append("\n");
  }
  add(folder + "mapcycle.txt", cycle);
  for (const std::string_view name : creator::base_game_files()) {
    if (std::string content = stand_in(name); !content.empty()) {
      add(folder + std::string(name), std::move(content));
    }
  }
  for (const std::string_view name : kEvents) {
    add(folder + "events/" + std::string(name) + ".sc", "// nothing happens\n");
  }
  return files;
}

}  // namespace goldsmith::start
