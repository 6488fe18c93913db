#include "app/mirror/archive_mirroring.hpp"

#include <boost/test/unit_test.hpp>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "test/unit/mirror/mirror_fixture.hpp"

namespace goldsmith::mirror {
namespace {

using namespace test;
namespace fs = std::filesystem;

std::vector<Item> engine() {
  return {{"bin", "", 0040755},
          {"bin/linux32/engine_i486.so", elf({})},
          {"bin/linux32/hlds_linux", elf({.type = 2})},
          {"bin/linux32/valve/game.cfg", std::string(5'000, 'c')},
          {"bin/win32/hlds.exe", windows_program()},
          {"sdk/interface.h", "#pragma once\n"}};
}

domain::InstallRules engine_rules() { return {{{"bin/linux32/", ""}}, {"bin/win32/**"}, {}}; }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(normalising, MirrorFixture)

BOOST_AUTO_TEST_CASE(a_release_becomes_a_canonical_zip) {
  pack(upstream, Format::zip, engine());
  rules = engine_rules();
  const Normalised result = normalise_all();
  const auto file = [](const std::string& path, const std::string& content, bool executable) {
    return domain::ManifestFile{path, content.size(), executable, base::sha256_hex(content)};
  };
  const std::vector<domain::ManifestFile> expected = {
      file("engine_i486.so", elf({}), false), file("hlds_linux", elf({.type = 2}), true),
      file("valve/game.cfg", std::string(5'000, 'c'), false)};
  BOOST_TEST((result.files == expected));
  BOOST_TEST(
      (result.origins == std::vector<domain::FileOrigin>{{0, "bin/linux32/engine_i486.so"},
                                                         {0, "bin/linux32/hlds_linux"},
                                                         {0, "bin/linux32/valve/game.cfg"}}));
  BOOST_TEST(result.dropped == 2U);
  BOOST_TEST(result.upstream_bytes == fs::file_size(upstream));
  BOOST_TEST(archive::verify_depot_file(target).digest == result.digest);
  BOOST_TEST(content_of("valve/game.cfg") == std::string(5'000, 'c'));
}

BOOST_AUTO_TEST_CASE(every_format_gives_the_same_bytes) {
  rules = engine_rules();
  std::string digest;
  for (const Format format :
       {Format::zip, Format::tar, Format::tar_gz, Format::tar_xz, Format::seven_zip}) {
    pack(upstream, format, engine());
    const Normalised result = normalise_all();
    if (digest.empty()) digest = result.digest;
    BOOST_TEST(result.digest == digest, static_cast<int>(format));
  }
}

BOOST_AUTO_TEST_CASE(the_order_and_the_times_of_the_release_do_not_matter) {
  pack(upstream, Format::zip, {{"a", "1"}, {"b/c", "2"}, {"b/d", "3"}});
  const std::string digest = normalise_all().digest;
  pack(upstream, Format::tar_gz, {{"b/d", "3"}, {"b", "", 0040700}, {"a", "1"}, {"b/c", "2"}});
  BOOST_TEST(normalise_all().digest == digest);
  pack(upstream, Format::zip, {{"a", "1"}, {"b/c", "2"}, {"b/d", "4"}});
  BOOST_TEST(normalise_all().digest != digest);
}

BOOST_AUTO_TEST_CASE(entries_are_ordered_by_path_and_folders_are_none) {
  pack(upstream, Format::tar,
       {{"z", "1"}, {"b", "", 0040755}, {"b/x", "2"}, {"B-", "3"}, {"a", ""}});
  normalise_all();
  const std::vector<std::string> expected = {"B-", "a", "b/x", "z"};
  BOOST_TEST(paths() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_a_map_paths_stay) {
  pack(upstream, Format::zip, {{"addons/reapi/x.so", "1"}});
  normalise_all();
  BOOST_TEST(paths().front() == "addons/reapi/x.so");
}

BOOST_AUTO_TEST_CASE(the_longest_match_maps_and_the_unmapped_is_dropped) {
  pack(upstream, Format::zip,
       {{"a/x", "1"}, {"a/b/y", "2"}, {"a/b/special.cfg", "3"}, {"c/z", "4"}});
  rules.map = {{"a/", "one/"}, {"a/b/", "two"}, {"a/b/special.cfg", "three/renamed.cfg"}};
  const Normalised result = normalise_all();
  const std::vector<std::string> expected = {"one/x", "three/renamed.cfg", "two/y"};
  BOOST_TEST(paths() == expected, boost::test_tools::per_element());
  BOOST_TEST(result.dropped == 1U);
}

BOOST_AUTO_TEST_CASE(a_folder_is_mapped_by_whole_names_only) {
  pack(upstream, Format::zip, {{"addons/x", "1"}, {"addons2/y", "2"}, {"sub/addons/z", "3"}});
  rules.map = {{"addons/", "cstrike/addons/"}};
  normalise_all();
  BOOST_TEST(paths().size() == 1U);
  BOOST_TEST(paths().front() == "cstrike/addons/x");
}

BOOST_AUTO_TEST_CASE(an_empty_from_maps_everything) {
  pack(upstream, Format::zip, {{"plugin.so", "1"}, {"docs/readme", "2"}});
  rules.map = {{"", "cstrike/addons/safe/"}, {"docs/", "docs/"}};
  normalise_all();
  const std::vector<std::string> expected = {"cstrike/addons/safe/plugin.so", "docs/readme"};
  BOOST_TEST(paths() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_file_mapped_to_a_folder_keeps_its_name) {
  pack(upstream, Format::zip, {{"deep/reunion.cfg", "1"}, {"deep/other.cfg", "2"}});
  rules.map = {{"deep/reunion.cfg", "cstrike/"}, {"deep/other.cfg", ""}};
  normalise_all();
  const std::vector<std::string> expected = {"cstrike/reunion.cfg", "other.cfg"};
  BOOST_TEST(paths() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(drop_globs_match_the_path_in_the_archive) {
  pack(upstream, Format::zip, {{"in/a.asi", "1"}, {"in/b.txt", "2"}, {"in/sdk/c.txt", "3"}});
  rules = {{{"in/", "out/"}}, {"*.asi", "in/sdk/**", "out/**"}, {}};
  BOOST_TEST(normalise_all().dropped == 2U);
  BOOST_TEST(paths().front() == "out/b.txt");
}

BOOST_AUTO_TEST_CASE(windows_and_mac_os_files_are_dropped_by_name) {
  pack(upstream, Format::zip,
       {{"a.pdb", "1"},
        {"b.LIB", "2"},
        {"c.Dll", "3"},
        {"d.exe", "4"},
        {"e.dylib", "5"},
        {"f.bat", "6"},
        {"g.cmd", "7"},
        {"x.dll.txt", "8"},
        {"dll", "9"},
        {"x.exe/inside", "10"}});
  BOOST_TEST(normalise_all().dropped == 7U);
  const std::vector<std::string> expected = {"dll", "x.dll.txt", "x.exe/inside"};
  BOOST_TEST(paths() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(windows_and_mac_os_files_are_dropped_by_content) {
  pack(upstream, Format::seven_zip,
       {{"a.asi", windows_program()},
        {"b", mach_o(false)},
        {"c.so", mach_o(true)},
        {"d.txt", "MZ: a text"}});
  BOOST_TEST(normalise_all().dropped == 3U);
  BOOST_TEST(paths().front() == "d.txt");
}

BOOST_AUTO_TEST_CASE(programs_and_scripts_become_executable) {
  pack(upstream, Format::zip,
       {{"hlds_linux", elf({.type = 2})},
        {"pie", elf({.wide = true, .interpreter = true})},
        {"run.sh", "#!/bin/sh\n"},
        {"engine.so", elf({})},
        {"text", "text"}});
  normalise_all();
  BOOST_TEST(executables() == "hlds_linux pie run.sh ");
}

BOOST_AUTO_TEST_CASE(upstreams_executable_bits_are_kept_in_every_format) {
  for (const Format format : {Format::zip, Format::tar_gz, Format::tar_xz, Format::seven_zip}) {
    pack(upstream, format, {{"program", "x", 0100755}, {"group", "x", 0100610}, {"text", "x"}});
    normalise_all();
    BOOST_TEST(executables() == "group program ", static_cast<int>(format));
  }
}

BOOST_AUTO_TEST_CASE(files_from_windows_are_not_executable) {
  base::write_atomically(upstream, raw_zip({{.name = "a.txt", .content = "x", .made_by = 0}}));
  normalise_all();
  BOOST_TEST(executables() == "");
}

BOOST_AUTO_TEST_CASE(the_catalog_adds_executable_files_by_their_final_path) {
  pack(upstream, Format::zip, {{"in/amxxpc", "x"}, {"in/b/tool", "x"}, {"in/c", "x"}});
  rules = {{{"in/", "out/"}}, {}, {"out/amxxpc", "tool", "in/c"}};
  normalise_all();
  BOOST_TEST(executables() == "out/amxxpc out/b/tool ");
}

BOOST_AUTO_TEST_CASE(backslashes_are_separators) {
  base::write_atomically(upstream, raw_zip({{.name = "bin\\linux\\a.so", .content = "1"},
                                            {.name = "bin\\", .content = ""},
                                            {.name = "bin\\linux/b.so", .content = "2"}}));
  normalise_all();
  const std::vector<std::string> expected = {"bin/linux/a.so", "bin/linux/b.so"};
  BOOST_TEST(paths() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(dots_and_doubled_slashes_that_lead_nowhere_are_fine) {
  pack(upstream, Format::tar_gz,
       {{"./", "", 0040755}, {"./a/./b", "1"}, {"c//d", "2"}, {".e", "3"}});
  normalise_all();
  const std::vector<std::string> expected = {".e", "a/b", "c/d"};
  BOOST_TEST(paths() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(utf8_names_are_kept_in_every_format) {
  for (const Format format : {Format::zip, Format::tar_gz, Format::seven_zip}) {
    pack(upstream, format, {{"карты/de_пыль.txt", "1"}});
    normalise_all();
    BOOST_TEST(paths().front() == "карты/de_пыль.txt", static_cast<int>(format));
  }
  base::write_atomically(upstream, raw_zip({{.name = "é", .utf8 = true}, {.name = "è"}}));
  normalise_all();
  BOOST_TEST(paths().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_later_archive_replaces_files_of_an_earlier_one) {
  const fs::path addon = folder.path() / "addon";
  pack(upstream, Format::zip, {{"a", "base"}, {"b", "base", 0100755}, {"c", "base"}});
  pack(addon, Format::tar_xz, {{"d", "addon"}, {"b", "addon!"}});
  const Normalised result = normalise({upstream, addon}, rules, limits, target);
  BOOST_TEST(result.files.size() == 4U);
  BOOST_TEST(result.upstream_bytes == fs::file_size(upstream) + fs::file_size(addon));
  BOOST_TEST(content_of("a") == "base");
  BOOST_TEST(content_of("b") == "addon!");
  BOOST_TEST(executables() == "");
  archive::verify_depot_file(target);
}

BOOST_AUTO_TEST_CASE(files_larger_than_a_piece_pass_whole) {
  for (const std::size_t size : {65'535U, 65'536U, 65'537U, 131'072U, 1'000'000U}) {
    std::string content(size, 'x');
    for (std::size_t i = 0; i < size; i += 97) content[i] = static_cast<char>(i / 97);
    pack(upstream, Format::tar_gz, {{"large", content}});
    BOOST_TEST(normalise_all().files.front().size == size);
    BOOST_TEST((content_of("large") == content), size);
  }
}

BOOST_AUTO_TEST_CASE(empty_files_are_files) {
  pack(upstream, Format::zip, {{"empty", ""}});
  BOOST_TEST(normalise_all().files.front().size == 0U);
}

BOOST_AUTO_TEST_CASE(a_file_that_a_map_names_is_no_archive_but_a_file) {
  upstream = folder.path() / "Plugin-1.2.so";
  const std::string library = elf({}) + std::string(200'000, 'x');
  base::write_atomically(upstream, library);
  rules.map = {{"", "elsewhere/"}, {"Plugin-*.so", "cstrike/addons/plugin/plugin.so", true}};
  const Normalised result = normalise_all();
  const domain::ManifestFile expected{"cstrike/addons/plugin/plugin.so", library.size(), false,
                                      base::sha256_hex(library)};
  BOOST_TEST((result.files == std::vector<domain::ManifestFile>{expected}));
  BOOST_TEST((result.origins == std::vector<domain::FileOrigin>{{0, "Plugin-1.2.so"}}));
  BOOST_TEST(result.dropped == 0U);
  BOOST_TEST(result.upstream_bytes == library.size());
  BOOST_TEST((content_of(expected.path) == library));
  archive::verify_depot_file(target);
}

BOOST_AUTO_TEST_CASE(such_a_file_and_archives_are_one_release) {
  const fs::path readme = folder.path() / "readme.zip";  // a ZIP by its name alone
  pack(upstream, Format::zip, {{"a.txt", "archive"}, {"b.txt", "archive"}});
  base::write_atomically(readme, "just a text");
  rules.map = {{"", "docs/"}, {"*.zip", "docs/", true}};
  normalise({upstream, readme}, rules, limits, target);
  const std::vector<std::string> expected = {"docs/a.txt", "docs/b.txt", "docs/readme.zip"};
  BOOST_TEST(paths() == expected, boost::test_tools::per_element());
  rules.map[1].to = "docs/a.txt";  // the later one wins
  normalise({upstream, readme}, rules, limits, target);
  BOOST_TEST(content_of("docs/a.txt") == "just a text");
}

BOOST_AUTO_TEST_CASE(without_another_map_an_archive_beside_such_a_file_gives_nothing) {
  const fs::path plugin = folder.path() / "a.so";
  pack(upstream, Format::zip, {{"a.txt", "archive"}});
  base::write_atomically(plugin, elf({}));
  rules.map = {{"a.so", "", true}};
  const Normalised result = normalise({upstream, plugin}, rules, limits, target);
  BOOST_TEST(result.files.size() == 1U);
  BOOST_TEST(result.dropped == 1U);
}

BOOST_AUTO_TEST_CASE(programs_and_scripts_that_are_no_archives_become_executable_too) {
  rules.map = {{"*", "bin/run", true}};
  for (const std::string& content : {elf({.type = 2}), std::string("#!/bin/sh\n")}) {
    base::write_atomically(upstream, content);
    normalise_all();
    BOOST_TEST(executables() == "bin/run ");
  }
  base::write_atomically(upstream, "text");
  normalise_all();
  BOOST_TEST(executables() == "");
  rules.executables = {"run"};
  normalise_all();
  BOOST_TEST(executables() == "bin/run ");
}

BOOST_AUTO_TEST_CASE(nothing_but_the_target_stays_behind) {
  pack(upstream, Format::zip, engine());
  normalise_all();
  BOOST_TEST(left_beside_target() == "target.zip ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::mirror
