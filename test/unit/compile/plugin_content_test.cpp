#include "app/compile/content.hpp"

#include <boost/test/unit_test.hpp>

#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"

namespace goldsmith::compile {
namespace {

domain::PluginFile file_of(std::string filename, std::string kind, std::string content) {
  domain::PluginFile file;
  file.filename = std::move(filename);
  file.install_dir = "addons/amxmodx/scripting";
  file.kind = std::move(kind);
  file.size_bytes = static_cast<std::int64_t>(content.size());
  file.content = std::move(content);
  return file;
}

domain::PluginVersion hats() {
  domain::PluginVersion version;
  version.version = "1.0";
  version.files = {
      file_of("a.mdl", "mdl", std::string("IDST\n#include <x>\n\0", 19)),
      file_of("hats.inc", "inc", "#tryinclude \"more\"\nprecache_sound(\"a.wav\")"),
      file_of("hats.sma", "sma",
              "#include <amxmodx>\n#include <../up>\nprecache_model(\"models/a.mdl\")"),
      file_of("notes.txt", "txt", "#include <notes>\nprecache_model(\"models/b.mdl\")")};
  version.files[2].is_primary = true;
  return version;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plugin_content)

// Build hashes stand on it: it is that of version 1.0.0 for ever.
BOOST_AUTO_TEST_CASE(the_digest_covers_the_place_role_and_bytes_of_each_file) {
  domain::PluginVersion version;
  version.files = {file_of("a.sma", "sma", "main(){}")};
  version.files[0].is_primary = true;
  using namespace std::string_view_literals;
  BOOST_TEST(content_digest(version) == base::sha256_hex("addons/amxmodx/scripting\0a.sma\0sma\0"
                                                         "1\0"
                                                         "8\0main(){}"sv));
  version.files.clear();
  BOOST_TEST(content_digest(version) == base::sha256_hex(""));
}

BOOST_AUTO_TEST_CASE(a_description_read_piece_by_piece_has_the_same_digest) {
  domain::PluginVersion version = hats();
  const std::string digest = content_digest(version);
  std::vector<std::string> contents;
  for (domain::PluginFile& file : version.files) {
    contents.push_back(std::exchange(file.content, {}));
  }
  Description description(version);
  for (const std::string& content : contents) description.add(content);
  description.finish();
  BOOST_TEST(version.content_digest == digest);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    BOOST_TEST(version.files[i].sha256 == base::sha256_hex(contents[i]));
  }
  domain::PluginVersion whole = hats();
  describe(whole);
  BOOST_TEST(whole.content_digest == digest);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    BOOST_TEST((whole.files[i].named == version.files[i].named));
  }
}

BOOST_AUTO_TEST_CASE(what_sources_name_is_told_and_nothing_of_models) {
  domain::PluginVersion version = hats();
  describe(version);
  using domain::NamedFiles;
  BOOST_TEST((version.files[0].named == NamedFiles()));
  BOOST_TEST((version.files[1].named == NamedFiles{{"more"}, {{"sound/a.wav", false}}}));
  BOOST_TEST((version.files[2].named == NamedFiles{{"amxmodx"}, {{"models/a.mdl", true}}}));
  BOOST_TEST((version.files[3].named == NamedFiles{{"notes"}, {}}));
}

BOOST_AUTO_TEST_CASE(names_are_bounded_and_those_of_the_entry_point_on_their_own) {
  std::string includes;
  for (int i = 0; i < 500; ++i) {
    includes += "#include <" + std::to_string(i) + std::string(200, 'x') + ">\n";
  }
  domain::PluginVersion version;
  for (const char name : {'a', 'b', 'c', 'd', 'e', 'f', 'z'}) {
    version.files.push_back(file_of(std::string(1, name) + ".inc", "inc", includes));
  }
  version.files.back().kind = "sma";
  describe(version);
  const auto bytes_of = [&](std::size_t index) {
    std::size_t bytes = 0;
    for (const std::string& name : version.files[index].named->includes) bytes += name.size() + 2;
    return bytes;
  };
  std::size_t others = 0;
  for (std::size_t i = 0; i < 6; ++i) others += bytes_of(i);
  BOOST_TEST(others <= std::size_t{256 << 10});
  BOOST_TEST(others > std::size_t{255 << 10});
  BOOST_TEST(bytes_of(6) <= std::size_t{64 << 10});
  BOOST_TEST(bytes_of(6) > std::size_t{63 << 10});
}

BOOST_AUTO_TEST_CASE(a_zip_has_the_source_and_the_binary_of_every_legal_name) {
  for (std::size_t size = 240; size <= 255; ++size) {
    for (const char first : {'x', '_'}) {
      const auto source = file_of(first + std::string(size - 5, 'x') + ".sma", "sma", "main(){}");
      const std::string zip = archive::zip_in_memory(
          {{domain::installed_path(source), source.content}, {installed_binary(source), "binary"}});
      BOOST_TEST(zip.find(source.filename) != std::string::npos, size);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::compile
