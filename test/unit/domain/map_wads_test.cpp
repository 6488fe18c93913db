// The WADs that maps name: maps made here.
#include "app/domain/map_wads.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>

using goldsmith::domain::wads_of_map;

namespace map_wads {
namespace {

using Names = std::vector<std::string>;

std::string number(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8U * static_cast<unsigned>(i)));
  return bytes;
}

// A texture whose pixels are in the map, or elsewhere.
std::string texture(bool is_inside) {
  std::string bytes = "texture";
  bytes.resize(16);
  bytes += number(16) + number(16);
  return bytes + number(is_inside ? 40 : 0) + number(0) + number(0) + number(0);
}

constexpr std::uint32_t kNoTexture = 0xFFFFFFFF;

// Of textures in a map: one that is not there at all comes first.
std::string textures(const std::vector<bool>& are_inside) {
  std::string table =
      number(static_cast<std::uint32_t>(are_inside.size() + 1)) + number(kNoTexture);
  std::string bodies;
  const std::size_t begin = table.size() + 4 * are_inside.size();
  for (const bool is_inside : are_inside) {
    table += number(static_cast<std::uint32_t>(begin + bodies.size()));
    bodies += texture(is_inside);
  }
  return table + bodies;
}

std::string map_of(const std::string& entities, const std::string& textures_of_it,
                   std::uint32_t version = 30) {
  constexpr std::uint32_t kHead = 4 + 15 * 8;
  const auto size = [](const std::string& lump) { return static_cast<std::uint32_t>(lump.size()); };
  std::string head = number(version) + number(kHead) + number(size(entities)) + number(0) +
                     number(0) + number(kHead + size(entities)) + number(size(textures_of_it));
  head.resize(kHead);
  return head + entities + textures_of_it;
}

const std::string kWorld =
    "{\n\"classname\" \"worldspawn\"\n\"message\" \"a } b\"\n"
    "\"wad\" \"\\sierra\\valve\\HalfLife.wad;C:/maps/yard.wad;yard.WAD;;\\x\\two "
    "words.wad;no.txt;.wad\"\n}\n"
    "{\n\"wad\" \"later.wad\"\n}\n";

}  // namespace
}  // namespace map_wads

using namespace map_wads;

BOOST_AUTO_TEST_SUITE(wads_of_maps)

BOOST_AUTO_TEST_CASE(the_world_names_them_with_paths_of_another_machine) {
  BOOST_TEST(
      (wads_of_map(map_of(kWorld, textures({true, false}))) == Names{"halflife.wad", "yard.wad"}));
}

BOOST_AUTO_TEST_CASE(a_map_with_all_textures_in_itself_needs_none) {
  BOOST_TEST(wads_of_map(map_of(kWorld, textures({true, true}))).empty());
  BOOST_TEST(wads_of_map(map_of(kWorld, textures({}))).empty());
}

BOOST_AUTO_TEST_CASE(only_the_first_entity_counts) {
  const std::string other = "{\n\"classname\" \"worldspawn\"\n}\n{\n\"wad\" \"later.wad\"\n}\n";
  BOOST_TEST(wads_of_map(map_of(other, textures({false}))).empty());
}

BOOST_AUTO_TEST_CASE(what_is_read_and_named_is_bounded) {
  const std::string late = "{ \"x\" \"" + std::string(64U << 10, 'x') + "\" \"wad\" \"a.wad\" }";
  BOOST_TEST(wads_of_map(map_of(late, textures({false}))).empty());
  std::string many = "{ \"wad\" \"";
  for (int i = 0; i < 200; ++i) many += std::to_string(i) + ".wad;";
  BOOST_TEST(wads_of_map(map_of(many + "\" }", textures({false}))).size() == 64U);
}

BOOST_AUTO_TEST_CASE(another_or_a_damaged_file_has_none) {
  const std::string whole = map_of(kWorld, textures({false}));
  BOOST_TEST(wads_of_map("").empty());
  BOOST_TEST(wads_of_map(map_of(kWorld, textures({false}), 29)).empty());
  for (std::size_t size = 0; size < whole.size(); ++size) wads_of_map(whole.substr(0, size));
  for (const std::uint32_t bad : {0x7FFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFF0U}) {
    for (std::size_t at = 4; at + 4 <= whole.size(); at += 4) {
      std::string file = whole;
      file.replace(at, 4, number(bad));
      wads_of_map(file);
    }
  }
  // Textures that lie about where they are.
  BOOST_TEST(wads_of_map(map_of(kWorld, number(1) + number(0x7FFFFFFF))).empty());
  BOOST_TEST(wads_of_map(map_of(kWorld, number(0xFFFFFFF0))).empty());
}

BOOST_AUTO_TEST_SUITE_END()
