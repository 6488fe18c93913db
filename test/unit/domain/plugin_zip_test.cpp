// Plugins in .zip files, whatever reads those.
#include <boost/test/unit_test.hpp>

#include "test/unit/domain/manifest_folder.hpp"

namespace goldsmith::domain {
namespace plugin_zip {
namespace {

const std::string kManifest = R"({"slug": "a", "name": "A", "category": "c", "versions": [
    {"version": "1", "files": [{"path": "src/x.sma"}]}]})";

struct Fixture : ManifestFolder {
  domain::Plugin read_zip(const PluginTools::Files& files) const {
    const std::filesystem::path file = write("plugin.zip", "an archive");
    PluginTools tools;
    tools.unzip = [&](const base::UniqueFd& archive, const std::filesystem::path& path) {
      BOOST_TEST(base::read_file(archive, path, 100) == "an archive");
      return files;
    };
    return read_plugin(file, {}, tools);
  }
  std::string refusal(const PluginTools::Files& files) const {
    return error_of([&] { read_zip(files); });
  }
};

}  // namespace
}  // namespace plugin_zip

BOOST_FIXTURE_TEST_SUITE(plugin_zip, Fixture)

BOOST_AUTO_TEST_CASE(a_manifest_at_the_root_is_found) {
  const domain::Plugin plugin = read_zip({{"plugin.json", kManifest}, {"src/x.sma", "source"}});
  BOOST_TEST(plugin.versions.at(0).files.at(0).content == "source");
}

BOOST_AUTO_TEST_CASE(a_manifest_inside_the_only_top_folder_is_found) {
  const domain::Plugin plugin = read_zip({{"my plugin-1.0/src/x.sma", "source"},
                                          {"my plugin-1.0/plugin.json", kManifest},
                                          {"__MACOSX/plugin.json", ""}});
  BOOST_TEST(plugin.versions.at(0).files.at(0).content == "source");
}

BOOST_AUTO_TEST_CASE(a_manifest_deeper_or_beside_other_folders_is_not_found) {
  const std::string message =
      "DIR/plugin.zip: holds no plugin.json, neither at its root nor inside its only top folder";
  BOOST_TEST(refusal({{"a/b/plugin.json", kManifest}}) == message);
  BOOST_TEST(refusal({{"a/plugin.json", kManifest}, {"b/src/x.sma", ""}}) == message);
  BOOST_TEST(refusal({{"readme.txt", ""}}) == message);
  BOOST_TEST(refusal({}) == "DIR/plugin.zip: the archive is empty");
}

BOOST_AUTO_TEST_CASE(messages_name_the_manifest_inside_the_archive) {
  BOOST_TEST(refusal({{"top/plugin.json", R"({"slug": 5})"}}) ==
             "DIR/plugin.zip/top/plugin.json: slug: 5 is a number; it must be a string");
  BOOST_TEST(refusal({{"plugin.json", kManifest}}) ==
             "DIR/plugin.zip/plugin.json: versions[0].files[0].path: \"src/x.sma\" is not in the "
             "archive");
}

BOOST_AUTO_TEST_CASE(a_source_over_one_megabyte_is_refused_only_when_it_is_named) {
  BOOST_TEST(refusal({{"plugin.json", kManifest}, {"src/x.sma", std::nullopt}}) ==
             "DIR/plugin.zip/plugin.json: versions[0].files[0].path: \"src/x.sma\" is too large; "
             "at most 1048576 bytes are allowed");
  BOOST_TEST(refusal({{"plugin.json", std::nullopt}}) ==
             "DIR/plugin.zip/plugin.json: is larger than 1048576 bytes");
  BOOST_TEST(
      refusal({{"plugin.json", kManifest}, {"src/x.sma", "x"}, {"video.mp4", std::nullopt}}) == "");
}

BOOST_AUTO_TEST_CASE(without_tools_no_archive_is_opened) {
  const std::filesystem::path file = write("plugin.zip", "");
  BOOST_TEST(error_of([&] { read_plugin(file); }) ==
             "DIR/plugin.zip: is an archive, which is not read here");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
