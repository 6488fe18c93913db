// What is noted of the files of a version when they are described.
#include "app/compile/content.hpp"

#include <boost/test/unit_test.hpp>

#include "app/pawn/text_reader.hpp"
#include "test/unit/compile/plugin_builder.hpp"

namespace goldsmith::compile {
namespace {

std::string number(std::size_t value) {
  std::string bytes(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

// A map with one texture, whose pixels are elsewhere.
std::string map_with(std::string_view entities) {
  constexpr std::size_t kHeader = 4 + 15 * 8;
  const std::string texture = number(1) + number(8) + std::string(40, '\0');
  std::string map = number(30) + number(kHeader) + number(entities.size());
  map += number(0) + number(0) + number(kHeader + entities.size()) + number(texture.size());
  map.resize(kHeader);
  return map.append(entities).append(texture);
}

domain::PluginFile file_in(std::string folder, std::string name, std::string content) {
  domain::PluginFile file = source_file(std::move(name), std::move(content));
  file.install_dir = std::move(folder);
  file.kind = "bsp";
  return file;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(described_content)

BOOST_AUTO_TEST_CASE(a_map_names_its_wads_wherever_it_is_read) {
  const std::string map = map_with("{ \"wad\" \"c:\\maps\\Yard.wad;\\halflife.wad\" }");
  const pawn::TextReader reader;
  for (const ReadNames& read : {ReadNames(pawn::named_files), ReadNames([&](std::string_view text) {
                                  return reader.named_files(text);
                                })}) {
    domain::PluginVersion version = plugin_of(
        {source_file("a.sma", "main() precache_sound(\"a.wav\");\n"), file_in("maps", "a.bsp", map),
         file_in("addons", "b.bsp", map), file_in("maps", "c.bsp", "no map")});
    describe(version, read);
    BOOST_TEST(version.files[0].named->precached.size() == 1U);
    BOOST_TEST((version.files[1].named->precached ==
                std::vector<domain::PrecachedFile>{{"halflife.wad"}, {"yard.wad"}}));
    BOOST_TEST(version.files[2].named->precached.empty());
    BOOST_TEST(version.files[3].named->precached.empty());
  }
}

BOOST_AUTO_TEST_CASE(names_of_maps_are_bounded_together) {
  std::string entities = "{ \"wad\" \"";
  for (int i = 10; i < 74; ++i) entities += std::string(56, 'w') + std::to_string(i) + ".wad;";
  const std::string map = map_with(entities + "\" }");
  std::vector<domain::PluginFile> files{source_file("a.sma", "main() {}\n")};
  for (int i = 0; i < 200; ++i) files.push_back(file_in("maps", std::to_string(i) + ".bsp", map));
  domain::PluginVersion version = plugin_of(std::move(files));
  describe(version);
  std::size_t names = 0;
  for (const domain::PluginFile& file : version.files) names += file.named->precached.size();
  BOOST_TEST(names > 64U);
  BOOST_TEST(names < 200U * 64U / 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::compile
