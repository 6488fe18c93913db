// The files that a plugin manifest names: what may be read, and what never is.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "test/unit/domain/manifest_folder.hpp"

namespace goldsmith::domain {
namespace plugin_files {
namespace {

namespace fs = std::filesystem;

struct Fixture : ManifestFolder {
  // Reads a plugin whose only version has these `files`.
  std::vector<domain::PluginFile> read(const std::string& files) const {
    write("plugin/plugin.json", R"({"slug": "a", "name": "A", "category": "c", "versions": [
            {"version": "1", "files": [)" +
                                    files + "]}]}");
    return read_plugin(path() / "plugin").versions.at(0).files;
  }
  std::string refusal(const std::string& files) const {
    const std::string message = error_of([&] { read(files); });
    const std::string start = "DIR/plugin/plugin.json: versions[0].";
    return message.starts_with(start) ? message.substr(start.size()) : "unexpected: " + message;
  }
};

}  // namespace
}  // namespace plugin_files

BOOST_FIXTURE_TEST_SUITE(plugin_files, Fixture)

BOOST_AUTO_TEST_CASE(files_come_in_the_order_of_their_names) {
  write("plugin/b.sma", "b");
  write("plugin/a.inc", "a");
  write("plugin/c.amxx", "c");
  const auto files = read(R"({"path": "c.amxx"}, {"path": "b.sma"}, {"path": "a.inc"})");
  BOOST_TEST_REQUIRE(files.size() == 3U);
  BOOST_TEST(files[0].filename == "a.inc");
  BOOST_TEST(files[1].filename == "b.sma");
  BOOST_TEST(files[2].filename == "c.amxx");
  BOOST_TEST(files[2].kind == "amxx");
}

BOOST_AUTO_TEST_CASE(content_is_kept_byte_for_byte) {
  const std::string bytes("\xef\xbb\xbf\r\n\0\xff end", 11);
  write("plugin/x.sma", bytes);
  const auto files = read(R"({"path": "x.sma"})");
  BOOST_TEST(files.at(0).content == bytes);
  BOOST_TEST(files.at(0).size_bytes == 11);
}

BOOST_AUTO_TEST_CASE(a_version_has_at_most_a_thousand_files) {
  write("plugin/x.cfg", "x");
  std::string files;
  for (int number = 0; number <= 1000; ++number) {
    files += std::string(number == 0 ? "" : ", ") + R"({"path": "x.cfg", "filename": ")" +
             std::to_string(number) + ".cfg\"}";
  }
  BOOST_TEST(refusal(files) ==
             "files: version \"1\" of \"a\" has 1001 files; at most 1000 are allowed");
  BOOST_TEST(read(files.substr(0, files.rfind(", {"))).size() == 1000U);
}

BOOST_AUTO_TEST_CASE(the_files_of_a_version_have_at_most_32_mebibytes_together) {
  write("plugin/x.mdl", std::string(1U << 20, 'x'));
  write("plugin/y.mdl", "y");
  std::string files;
  for (int number = 0; number < 32; ++number) {
    files += std::string(number == 0 ? "" : ", ") + R"({"path": "x.mdl", "filename": ")" +
             std::to_string(number) + ".mdl\"}";
  }
  BOOST_TEST(read(files).size() == 32U);
  BOOST_TEST(refusal(files + R"(, {"path": "y.mdl"})") ==
             "files: the files of version \"1\" of \"a\" have 33554433 bytes together; at most "
             "33554432 are allowed");
}

BOOST_AUTO_TEST_CASE(the_paths_of_a_version_have_at_most_128_kibibytes_together) {
  write("plugin/x.cfg", "x");
  std::string folder;  // with the number, of 1,000 bytes
  for (int part = 0; part < 4; ++part) folder += std::string(199, 'a') + '/';
  folder += std::string(197, 'a');
  std::string files;
  for (int number = 100; number < 231; ++number) {
    files += std::string(number == 100 ? "" : ", ") + R"({"path": "x.cfg", "install_dir": ")" +
             folder + std::to_string(number) + "\"}";
  }
  BOOST_TEST(
      refusal(files) ==
      "files: the paths of the files of version \"1\" of \"a\" have 131786 bytes together; at "
      "most 131072 are allowed");
  BOOST_TEST(read(files.substr(0, files.rfind(", {"))).size() == 130U);
}

BOOST_AUTO_TEST_CASE(a_manifest_may_be_named_by_its_own_path) {
  write("plugin/x.sma", "x");
  read(R"({"path": "x.sma"})");
  const domain::Plugin plugin = read_plugin(path() / "plugin" / "plugin.json");
  BOOST_TEST(plugin.versions.at(0).files.at(0).content == "x");
}

BOOST_AUTO_TEST_CASE(a_path_out_of_the_folder_is_refused) {
  write("secret.sma", "secret");
  const std::string rule =
      " is not a valid file path; allowed are relative paths with / between the names, without "
      "\".\" and \"..\"";
  for (const std::string path :
       {"../secret.sma", "/etc/passwd", "a/../../secret.sma", "./x.sma", "", "a//b", "..", "a/"}) {
    BOOST_TEST(refusal(R"({"path": ")" + path + "\"}") == "files[0].path: \"" + path + "\"" + rule);
  }
  BOOST_TEST(refusal(R"({"path": "..\\secret.sma"})") ==
             "files[0].path: \"..\\\\secret.sma\"" + rule);
  BOOST_TEST(refusal(R"({"path": "a\u0000.sma"})") ==
             "files[0].path: \"a\\u0000.sma\" holds a character that is not printable; only line "
             "feeds and tabs are allowed");
}

BOOST_AUTO_TEST_CASE(a_symbolic_link_is_refused_as_file_and_as_folder) {
  write("secret/x.sma", "secret");
  write("plugin/real.sma", "real");
  fs::create_symlink("real.sma", path() / "plugin" / "link.sma");
  fs::create_directory_symlink(path() / "secret", path() / "plugin" / "linked");
  const std::string rule = " is, or lies behind, a symbolic link; links are refused";
  BOOST_TEST(refusal(R"({"path": "link.sma"})") == "files[0].path: \"link.sma\"" + rule);
  BOOST_TEST(refusal(R"({"path": "linked/x.sma"})") == "files[0].path: \"linked/x.sma\"" + rule);
}

BOOST_AUTO_TEST_CASE(a_manifest_that_is_a_symbolic_link_is_refused) {
  write("elsewhere.json", "{}");
  fs::create_directories(path() / "plugin");
  fs::create_symlink(path() / "elsewhere.json", path() / "plugin" / "plugin.json");
  BOOST_TEST(error_of([&] { read_plugin(path() / "plugin"); }) ==
             "DIR/plugin/plugin.json: is, or lies behind, a symbolic link; links are refused");
}

BOOST_AUTO_TEST_CASE(what_is_no_regular_file_is_refused_without_waiting_for_it) {
  fs::create_directories(path() / "plugin" / "folder.sma");
  BOOST_TEST_REQUIRE(::mkfifo((path() / "plugin" / "pipe.sma").c_str(), 0600) == 0);
  const std::string rule = " is not a regular file; a plugin consists of files alone";
  BOOST_TEST(refusal(R"({"path": "folder.sma"})") == "files[0].path: \"folder.sma\"" + rule);
  BOOST_TEST(refusal(R"({"path": "pipe.sma"})") == "files[0].path: \"pipe.sma\"" + rule);
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_named) {
  write("plugin/x.sma", "x");
  BOOST_TEST(refusal(R"({"path": "x.sma"}, {"path": "y.sma"})") ==
             "files[1].path: \"y.sma\" does not exist in the manifest's folder");
}

BOOST_AUTO_TEST_CASE(a_source_over_one_megabyte_is_refused) {
  write("plugin/full.sma", std::string(1U << 20, 'x'));
  write("plugin/more.sma", std::string((1U << 20) + 1, 'x'));
  BOOST_TEST(read(R"({"path": "full.sma"})").at(0).size_bytes == 1048576);
  BOOST_TEST(refusal(R"({"path": "more.sma"})") ==
             "files[0].path: \"more.sma\" has 1048577 bytes; at most 1048576 are allowed");
}

BOOST_AUTO_TEST_CASE(bad_names_and_folders_of_files_are_refused) {
  write("plugin/x.sma", "x");
  BOOST_TEST(refusal(R"({"path": "x.sma", "filename": "a/b"})") ==
             "files[0].filename: \"a/b\" is not a valid file name; allowed are 1 to 255 bytes "
             "without / and "
             "\\, and not \".\" or \"..\"");
  BOOST_TEST(
      refusal(R"({"path": "x.sma", "install_dir": "/addons"})") ==
      "files[0].install_dir: \"/addons\" is not a valid folder; allowed are relative paths with "
      "/ between the names, without \".\", \"..\" and a / at either end");
  BOOST_TEST(refusal(R"({"path": "x.sma", "kind": "S M A"})") ==
             "files[0].kind: \"S M A\" gives no kind; allowed are 1 to 32 lower-case letters, "
             "digits, _ and -, as in \"kind\": \"sma\"");
  BOOST_TEST(refusal(R"({"path": "x.sma", "primary": "yes"})") ==
             "files[0].primary: \"yes\" is a string; it must be true or false");
}

BOOST_AUTO_TEST_CASE(a_file_without_an_extension_needs_a_kind) {
  write("plugin/README", "text");
  BOOST_TEST(refusal(R"({"path": "README"})") ==
             "files[0].path: \"README\" gives no kind; allowed are 1 to 32 lower-case letters, "
             "digits, _ and -, as in \"kind\": \"sma\"");
  BOOST_TEST(read(R"({"path": "README", "kind": "txt"})").at(0).kind == "txt");
}

BOOST_AUTO_TEST_CASE(two_files_in_one_place_are_refused) {
  write("plugin/a/x.sma", "1");
  write("plugin/b/x.sma", "2");
  BOOST_TEST(refusal(R"({"path": "a/x.sma"}, {"path": "b/x.sma"})") ==
             "files[1]: \"x.sma\" is the place of two files; each file of a version needs a "
             "\"filename\" or \"install_dir\" of its own");
  BOOST_TEST(refusal(R"({"path": "a/x.sma", "install_dir": "d"},
                        {"path": "b/x.sma", "install_dir": "d"})") ==
             "files[1]: \"d/x.sma\" is the place of two files; each file of a version needs a "
             "\"filename\" or \"install_dir\" of its own");
}

BOOST_AUTO_TEST_CASE(one_name_in_two_folders_is_two_files) {
  write("plugin/a/x.ini", "1");
  write("plugin/b/x.ini", "2");
  const auto files = read(R"({"path": "a/x.ini", "install_dir": "lang"},
                             {"path": "b/x.ini", "install_dir": "configs"})");
  BOOST_TEST_REQUIRE(files.size() == 2U);
  BOOST_TEST(files[0].content == "2");
  BOOST_TEST(files[1].content == "1");
}

BOOST_AUTO_TEST_CASE(two_primary_files_are_refused) {
  write("plugin/a.sma", "a");
  write("plugin/b.sma", "b");
  BOOST_TEST(refusal(R"({"path": "a.sma", "primary": true}, {"path": "b.sma", "primary": true})") ==
             "files[1].primary: a second file is primary; at most one file of a version may be");
  BOOST_TEST(
      read(R"({"path": "a.sma", "primary": false}, {"path": "b.sma", "primary": true})").size() ==
      2U);
}

BOOST_AUTO_TEST_CASE(a_path_that_is_no_plugin_says_what_to_give) {
  write("empty/readme.txt", "");
  BOOST_TEST(error_of([&] { read_plugin(path() / "nowhere"); }) == "DIR/nowhere: does not exist");
  BOOST_TEST(error_of([&] { read_plugin(path() / "empty"); }) ==
             "DIR/empty: the folder holds no plugin.json");
  BOOST_TEST(error_of([&] { read_plugin(path() / "empty" / "readme.txt"); }) ==
             "DIR/empty/readme.txt: is not a plugin; give a folder that holds plugin.json, the "
             "plugin.json or a .zip of it");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
