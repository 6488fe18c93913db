// Plugins in .zip files, well-formed and hostile.
#include <archive.h>
#include <archive_entry.h>

#include <boost/test/unit_test.hpp>

#include "test/unit/manifest/manifest_folder.hpp"

namespace goldsmith::manifest {
namespace plugin_zip {
namespace {

struct Entry {
  std::string name;
  std::string content;
  std::string link = "";  // the entry is a symbolic link to this
};

const std::string kManifest = R"({"slug": "a", "name": "A", "category": "c", "versions": [
    {"version": "1", "files": [{"path": "src/x.sma"}]}]})";

struct Fixture : ManifestFolder {
  std::filesystem::path write_zip(const std::vector<Entry>& entries) const {
    const std::filesystem::path file = path() / "plugin.zip";
    struct ::archive* zip = archive_write_new();
    archive_write_set_format_zip(zip);
    BOOST_TEST_REQUIRE(archive_write_open_filename(zip, file.c_str()) == ARCHIVE_OK);
    for (const Entry& item : entries) {
      struct ::archive_entry* entry = archive_entry_new();
      archive_entry_set_pathname(entry, item.name.c_str());
      archive_entry_set_filetype(entry, item.link.empty() ? AE_IFREG : AE_IFLNK);
      archive_entry_set_perm(entry, 0644);
      if (!item.link.empty()) archive_entry_set_symlink(entry, item.link.c_str());
      archive_entry_set_size(entry, static_cast<la_int64_t>(item.content.size()));
      BOOST_TEST_REQUIRE(archive_write_header(zip, entry) == ARCHIVE_OK);
      archive_write_data(zip, item.content.data(), item.content.size());
      archive_entry_free(entry);
    }
    BOOST_TEST_REQUIRE(archive_write_free(zip) == ARCHIVE_OK);
    return file;
  }
  std::string refusal(const std::vector<Entry>& entries) const {
    const std::filesystem::path file = write_zip(entries);
    return error_of([&] { read_plugin(file); });
  }
};

}  // namespace
}  // namespace plugin_zip

BOOST_FIXTURE_TEST_SUITE(plugin_zip, Fixture)

BOOST_AUTO_TEST_CASE(a_manifest_at_the_root_is_found) {
  const domain::Plugin plugin =
      read_plugin(write_zip({{"plugin.json", kManifest}, {"src/x.sma", "source"}}));
  BOOST_TEST(plugin.versions.at(0).files.at(0).content == "source");
}

BOOST_AUTO_TEST_CASE(a_manifest_inside_the_only_top_folder_is_found) {
  const domain::Plugin plugin = read_plugin(
      write_zip({{"my plugin-1.0/src/x.sma", "source"}, {"my plugin-1.0/plugin.json", kManifest}}));
  BOOST_TEST(plugin.versions.at(0).files.at(0).content == "source");
}

BOOST_AUTO_TEST_CASE(backslashes_between_names_are_separators) {
  const domain::Plugin plugin =
      read_plugin(write_zip({{"p\\plugin.json", kManifest}, {"p\\src\\x.sma", "source"}}));
  BOOST_TEST(plugin.versions.at(0).files.at(0).filename == "x.sma");
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

BOOST_AUTO_TEST_CASE(a_symbolic_link_in_the_archive_is_refused) {
  BOOST_TEST(refusal({{"plugin.json", kManifest}, {"src/x.sma", "", "/etc/passwd"}}) ==
             "DIR/plugin.zip: \"src/x.sma\" is a link; links are refused");
}

BOOST_AUTO_TEST_CASE(an_unsafe_name_in_the_archive_is_refused) {
  const std::string rule = " is not a safe name; allowed are relative paths without \"..\"";
  for (const std::string name : {"../x.sma", "/etc/x.sma", "a/../../x.sma", "..\\x.sma"}) {
    std::string shown = name;
    std::replace(shown.begin(), shown.end(), '\\', '/');
    BOOST_TEST(refusal({{"plugin.json", kManifest}, {name, "x"}}) ==
               "DIR/plugin.zip: \"" + shown + "\"" + rule);
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_is_there_twice_is_refused) {
  BOOST_TEST(refusal({{"plugin.json", kManifest}, {"plugin.json", "{}"}}) ==
             "DIR/plugin.zip: \"plugin.json\" is in the archive twice");
}

BOOST_AUTO_TEST_CASE(a_source_over_one_megabyte_is_refused_only_when_it_is_named) {
  const std::string large((1U << 20) + 1, 'x');
  BOOST_TEST(refusal({{"plugin.json", kManifest}, {"src/x.sma", large}}) ==
             "DIR/plugin.zip/plugin.json: versions[0].files[0].path: \"src/x.sma\" is too large; "
             "at most 1048576 bytes are allowed");
  BOOST_TEST(refusal({{"plugin.json", kManifest}, {"src/x.sma", "x"}, {"video.mp4", large}}) == "");
}

BOOST_AUTO_TEST_CASE(an_archive_that_unpacks_to_too_much_is_refused) {
  std::vector<Entry> entries{{"plugin.json", kManifest}};
  for (int i = 0; i < 65; ++i) {
    entries.push_back({"f" + std::to_string(i), std::string(1U << 20, '0')});
  }
  BOOST_TEST(refusal(entries) == "DIR/plugin.zip: unpacks to more than 67108864 bytes");
}

BOOST_AUTO_TEST_CASE(a_damaged_archive_is_refused) {
  const std::string bytes =
      sys::read_file(write_zip({{"plugin.json", kManifest}, {"src/x.sma", "source"}}));
  for (const std::size_t size : {std::size_t{0}, std::size_t{40}, std::size_t{120}}) {
    const std::filesystem::path file = write("cut.zip", bytes.substr(0, size));
    BOOST_TEST(error_of([&] { read_plugin(file); }).starts_with("DIR/cut.zip: "));
  }
  const std::filesystem::path file = write("text.zip", "this is no archive");
  BOOST_TEST(error_of([&] {
               read_plugin(file);
             }).starts_with("DIR/text.zip: can't be read as a ZIP file: "));
}

BOOST_AUTO_TEST_CASE(names_outside_ascii_are_found) {
  const std::string manifest = R"({"slug": "a", "name": "A", "category": "c", "versions": [
      {"version": "1", "files": [{"path": "исходник.sma"}]}]})";
  const domain::Plugin plugin =
      read_plugin(write_zip({{"plugin.json", manifest}, {"исходник.sma", "source"}}));
  BOOST_TEST(plugin.versions.at(0).files.at(0).filename == "исходник.sma");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::manifest
