// Releases that are refused whole: unsafe, damaged, or no archives at all.
#include <fcntl.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "app/host/process.hpp"
#include "test/unit/mirror/mirror_fixture.hpp"

namespace goldsmith::mirror {
namespace refused_releases {
namespace {

using namespace test;
namespace fs = std::filesystem;

struct Fixture : MirrorFixture {
  void overwrite(std::string_view bytes) {
    base::write_all(base::open_file(upstream, O_WRONLY | O_TRUNC).get(), bytes, upstream);
  }

  // All files' bytes, whatever their names are.
  std::set<std::string> contents() const {
    const archive::ZipReader reader(target);
    std::set<std::string> all;
    for (const archive::ZipEntry& entry : reader.entries()) all.insert(reader.read(entry));
    return all;
  }

  void run(std::vector<std::string> arguments) {
    host::Command command;
    command.arguments = std::move(arguments);
    command.working_directory = folder.path();
    command.environment = {"PATH=/usr/bin:/bin"};
    const host::ProcessOutcome outcome = host::run_process(command);
    BOOST_TEST_REQUIRE((outcome.end == host::ProcessEnd::exited && outcome.code == 0),
                       outcome.output);
  }

  // Makes `upstream` with an installed packer.
  void pack_secret(std::vector<std::string> packer) {
    fs::remove(upstream);
    base::write_atomically(folder.path() / "secret.txt", std::string(1'000, 's'));
    packer.insert(packer.end(), {upstream.string(), "secret.txt"});
    run(std::move(packer));
  }
};

std::string noise(std::size_t size, std::mt19937& random) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

}  // namespace
}  // namespace refused_releases

BOOST_FIXTURE_TEST_SUITE(refused_releases, Fixture)

BOOST_AUTO_TEST_CASE(a_path_that_leads_upwards_is_refused_in_every_format) {
  for (const Format format : kAllFormats) {
    for (const std::string name : {"../evil", "a/../../evil", "a/../evil", "a\\..\\evil"}) {
      const std::string message = refusal_of(format, {{name, "x"}});
      BOOST_TEST(message.starts_with("entry \""), message);
      BOOST_TEST(message.ends_with("evil\": its path leads upwards with \"..\""), message);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_absolute_path_is_refused_in_every_format) {
  for (const Format format : kAllFormats) {
    for (const std::string name :
         {"/etc/passwd", "\\evil", "C:\\evil", "c:evil", "\\\\host\\share", "//a"}) {
      const std::string message = refusal_of(format, {{name, "x"}});
      BOOST_TEST(message.starts_with("entry \""), message);
      BOOST_TEST(message.ends_with("\": its path is absolute"), message);
    }
  }
}

BOOST_AUTO_TEST_CASE(symbolic_links_are_refused) {
  for (const Format format : kAllFormats) {
    const std::string message = refusal_of(format, {{"link", "", 0120777, "/etc/passwd"}});
    BOOST_TEST(message == "entry \"link\": it is a symbolic link", static_cast<int>(format));
  }
}

// Of files that are read and never installed.
BOOST_AUTO_TEST_CASE(links_and_names_in_two_letter_cases_are_taken_by_who_reads_alone) {
  pack(upstream, Format::tar_gz,
       {{"readme.md", "one"},
        {"README.md", "two"},
        {"link", "", 0120777, "/etc/passwd"},
        {.name = "hard", .hard_link = "readme.md"}});
  const base::UniqueFd file = base::open_file(upstream, O_RDONLY);
  const Normalised made = normalise({{file, upstream}}, {}, limits, target, Names::any);
  BOOST_TEST(paths() == (std::vector<std::string>{"README.md", "readme.md"}),
             boost::test_tools::per_element());
  BOOST_TEST(made.links == (std::vector<std::string>{"link", "hard"}),
             boost::test_tools::per_element());
  for (const char* name : {"../up", "/absolute"}) {
    pack(upstream, Format::tar_gz, {{"a", "x"}, {name, "", 0120777, "a"}});
    const base::UniqueFd hostile = base::open_file(upstream, O_RDONLY);
    BOOST_CHECK_THROW(normalise({{hostile, upstream}}, {}, limits, target, Names::any),
                      RefusedArchive);
  }
}

BOOST_AUTO_TEST_CASE(hard_links_are_refused) {
  const std::string message =
      refusal_of(Format::tar_gz, {{.name = "link", .hard_link = "harmless"}});
  BOOST_TEST(message == "entry \"link\": it is a hard link");
}

BOOST_AUTO_TEST_CASE(devices_and_fifos_are_refused) {
  BOOST_TEST(refusal_of(Format::tar, {{"null", "", 0020666}}) == "entry \"null\": it is a device");
  BOOST_TEST(refusal_of(Format::tar, {{"fifo", "", 0010666}}) ==
             "entry \"fifo\": it is neither a file nor a folder");
}

BOOST_AUTO_TEST_CASE(an_unsafe_folder_is_refused_too) {
  BOOST_TEST(refusal_of(Format::tar, {{"../up/", "", 0040755}}) ==
             "entry \"../up/\": its path leads upwards with \"..\"");
  BOOST_TEST(refusal_of(Format::zip, {{"/up/", "", 0040755}}) ==
             "entry \"/up/\": its path is absolute");
}

BOOST_AUTO_TEST_CASE(what_a_rule_would_drop_is_refused_all_the_same) {
  rules = {{{"kept/", ""}}, {"*.dll", "evil"}, {}};
  for (const Item& item : std::vector<Item>{{"../x.dll", "x"}, {"evil", "", 0120777, "x"}}) {
    const std::string message = refusal_of(Format::zip, {{"kept/a", "x"}, item});
    BOOST_TEST(contains(message, "entry \"" + item.name + '"'), message);
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_printable_in_a_name_is_refused_and_shown_harmless) {
  BOOST_TEST(refusal_of_raw({{.name = "a\u202Ez", .content = "x", .utf8 = true}}) ==
             "entry \"a\\u202Ez\": its path holds a character that is not printable");
  BOOST_TEST(refusal_of_raw({{.name = "a\nb", .content = "x"}}) ==
             "entry \"a\\u000Ab\": its path holds a character that is not printable");
  BOOST_TEST(refusal_of_raw({{.name = "a\x1B[31mb", .content = "x"}}) ==
             "entry \"a\\u001B[31mb\": its path holds a character that is not printable");
  BOOST_TEST(refusal_of_raw({{.name = "a\x7F", .content = "x"}}) ==
             "entry \"a\\u007F\": its path holds a character that is not printable");
  BOOST_TEST(refusal_of_raw({{.name = "a\xC2\x85z", .content = "x", .utf8 = true}}) ==
             "entry \"a\\u0085z\": its path holds a character that is not printable");
}

// libarchive ends a name at its first NUL, so what is checked is what is used.
BOOST_AUTO_TEST_CASE(nothing_behind_a_nul_in_a_name_gets_through) {
  const auto with_nul = [](std::string before) { return before + std::string("\0/../x", 6); };
  for (const bool utf8 : {false, true}) {
    BOOST_TEST(refusal_of_raw({{.name = with_nul("../x"), .content = "x", .utf8 = utf8}}) !=
               "not refused");
    BOOST_TEST(refusal_of_raw({{.name = with_nul("a"), .content = "x", .utf8 = utf8},
                               {.name = "a", .content = "y"}}) != "not refused");
    base::write_atomically(upstream,
                           raw_zip({{.name = with_nul("a"), .content = "x", .utf8 = utf8}}));
    normalise_all();
    BOOST_TEST(paths().front() == "a");
  }
}

BOOST_AUTO_TEST_CASE(names_that_are_not_utf8_are_refused) {
  BOOST_TEST(refusal_of_raw({{.name = "caf\x82.txt", .content = "x"}}) ==
             "entry \"caf\\x82.txt\": its path is not UTF-8; repack the archive with UTF-8 names");
}

BOOST_AUTO_TEST_CASE(names_that_claim_to_be_utf8_but_are_not_are_refused) {
  BOOST_TEST(refusal_of_raw({{.name = "caf\x82.txt", .content = "x", .utf8 = true}}) !=
             "not refused");
}

BOOST_AUTO_TEST_CASE(names_without_a_part_are_refused) {
  BOOST_TEST(contains(refusal_of_raw({{.name = "", .content = "x"}}), "it has no name"));
  BOOST_TEST(contains(refusal_of_raw({{.name = ".", .content = "x"}}),
                      "it has data, but the name of a folder"));
  BOOST_TEST(contains(refusal_of_raw({{.name = "b/a\\", .content = "x"}}),
                      "it has data, but the name of a folder"));
}

BOOST_AUTO_TEST_CASE(paths_that_differ_in_letter_case_alone_are_refused) {
  BOOST_TEST(refusal_of(Format::zip, {{"Addons/x", "1"}, {"addons/X", "2"}}) ==
             "entry \"addons/X\": its path \"addons/X\" collides with \"Addons/x\", which differs "
             "in letter case alone");
  BOOST_TEST(contains(refusal_of(Format::tar_gz, {{"ПЫЛЬ", "1"}, {"пыль", "2"}}), "collides"));
}

BOOST_AUTO_TEST_CASE(the_same_path_twice_in_an_archive_is_refused) {
  BOOST_TEST(refusal_of(Format::tar_gz, {{"a", "1"}, {"./a", "2"}}) ==
             "entry \"./a\": the path \"a\" is listed twice");
}

BOOST_AUTO_TEST_CASE(paths_that_the_map_makes_equal_are_refused) {
  rules.map = {{"a/", ""}, {"b/", ""}};
  BOOST_TEST(contains(refusal_of(Format::zip, {{"a/x", "1"}, {"b/x", "2"}}),
                      "entry \"b/x\": the path \"x\" is listed twice"));
  BOOST_TEST(contains(refusal_of(Format::zip, {{"a/x", "1"}, {"b/X", "2"}}), "collides"));
}

BOOST_AUTO_TEST_CASE(dropped_files_do_not_collide) {
  rules.drop = {"README"};
  pack(upstream, Format::zip, {{"README", "1"}, {"readme", "2"}});
  BOOST_TEST(normalise_all().files.size() == 1U);
}

BOOST_AUTO_TEST_CASE(archives_of_one_release_may_not_collide_in_letter_case) {
  const fs::path addon = folder.path() / "addon";
  pack(upstream, Format::zip, {{"a/File", "1"}});
  pack(addon, Format::zip, {{"a/file", "2"}});
  BOOST_CHECK_EXCEPTION(normalise({upstream, addon}, rules, limits, target), RefusedArchive,
                        [&](const RefusedArchive& refused) {
                          return contains(refused.what(), addon.string() + ": entry \"a/file\"") &&
                                 contains(refused.what(), "a/File");
                        });
}

BOOST_AUTO_TEST_CASE(a_file_where_another_needs_a_folder_is_refused) {
  BOOST_TEST(refusal_of(Format::zip, {{"a/b", "1"}, {"A", "2"}}) ==
             "\"a/b\" needs a folder where \"A\" is a file");
}

BOOST_AUTO_TEST_CASE(encrypted_archives_are_refused) {
  pack_secret({"/usr/bin/zip", "-q", "-P", "password"});
  BOOST_TEST(contains(refusal(), "encrypted"));
  pack_secret({"/usr/bin/7z", "a", "-bd", "-t7z", "-ppassword"});
  BOOST_TEST(contains(refusal(), "ncrypted"));
  pack_secret({"/usr/bin/7z", "a", "-bd", "-t7z", "-ppassword", "-mhe=on"});
  BOOST_TEST(contains(refusal(), "ncrypted"));
  BOOST_TEST(refusal_of_raw({{.name = "a", .content = "x", .encrypted = true}}) ==
             "entry \"a\": it is encrypted");
}

BOOST_AUTO_TEST_CASE(a_map_to_an_unsafe_path_is_refused) {
  for (const std::string to : {"../up/", "/etc/", "a/../../", "a//b/"}) {
    rules.map = {{"", to}};
    BOOST_TEST(contains(refusal_of(Format::zip, {}), "install.map gives it the unsafe path"), to);
  }
}

BOOST_AUTO_TEST_CASE(a_release_of_which_nothing_is_left_is_refused) {
  rules.drop = {"**"};
  BOOST_TEST(refusal_of(Format::zip, {}) == "no file is left; check install.map and install.drop");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_archive_is_refused_unless_it_is_safe_and_whole) {
  upstream = folder.path() / "a.so";
  rules.map = {{"a.so", "cstrike/addons/a/", true}};
  const auto refusal_of_file = [&](const std::string& content) {
    base::write_atomically(upstream, content);
    return refusal();
  };
  const std::string no_library = "it is no library for Linux on 32-bit x86";
  for (const std::string& content : {std::string("Not Found"), windows_program(), mach_o(false),
                                     elf({.wide = true}), elf({}).substr(0, 20)}) {
    BOOST_TEST(refusal_of_file(content) == no_library);
  }
  std::string library = elf({});
  library[33] = '\x08';  // its sections are behind its end
  BOOST_TEST(refusal_of_file(library) == "it is cut off: it has 416 of at least 2048 bytes");
  BOOST_TEST(contains(refusal_of_file(""), "is empty"));

  rules.map[0].to = "../up.txt";
  BOOST_TEST(contains(refusal_of_file("x"), "install.map gives it the unsafe path \"../up.txt\""));
  rules.map[0].to = "a.dll";
  BOOST_TEST(refusal_of_file(windows_program()) ==
             "no file is left; check install.map and install.drop");
  rules = {{{"a.so", "a", true}}, {"a.so"}, {}};
  BOOST_TEST(refusal_of_file("x") == "no file is left; check install.map and install.drop");
  rules.drop.clear();
  limits.unpacked_bytes = 2;
  BOOST_TEST(contains(refusal_of_file("xyz"), "mirror.unpacked_mb allows"));
}

BOOST_AUTO_TEST_CASE(the_name_of_a_file_that_is_no_archive_must_be_safe) {
  rules.map = {{"*.so", "addons/", true}};
  for (const std::string name : {"a\xFF.so", "a\tb.so", "a\xE2\x80\xAE.so", "..\\..\\b.so"}) {
    upstream = folder.path() / name;
    base::write_atomically(upstream, elf({}));
    BOOST_TEST(contains(refusal(), "its path "), name);
  }
}

BOOST_AUTO_TEST_CASE(a_library_that_no_map_names_is_told_from_an_archive) {
  base::write_atomically(upstream, elf({}));
  rules.map = {{"*.so", "addons/", true}};
  BOOST_TEST(refusal() ==
             "is no archive but a program or library, and no \"file\" of install.map says where a "
             "file of that name goes");
}

BOOST_AUTO_TEST_CASE(what_is_no_archive_is_refused) {
  for (const std::string bytes : {"", "PK", "just a text that somebody uploaded",
                                  "<!DOCTYPE html><title>404</title>", "\x1F\x8B\x08"}) {
    base::write_atomically(upstream, bytes);
    BOOST_TEST(contains(refusal(), "zip, rar, 7z or tar archive"), bytes);
  }
  base::write_atomically(upstream, windows_program());
  BOOST_TEST(refusal() != "not refused");
}

BOOST_AUTO_TEST_CASE(a_missing_release_a_folder_and_a_fifo_are_errors_that_do_not_hang) {
  BOOST_CHECK_THROW(normalise_all(), base::FileError);
  fs::create_directory(upstream);
  BOOST_CHECK_THROW(normalise_all(), base::FileError);
  fs::remove(upstream);
  BOOST_TEST_REQUIRE(::mkfifo(upstream.c_str(), 0600) == 0);
  BOOST_CHECK_THROW(normalise_all(), base::FileError);
  BOOST_TEST(left_beside_target() == "");
}

// Each is read in a sandbox of its own: all lengths near the end, where a format has its tables and
// checksums, fewer before.
BOOST_AUTO_TEST_CASE(truncations_are_refused, *boost::unit_test::label("many_sandboxes")) {
  std::mt19937 random(3);
  for (const Format format : {Format::zip, Format::tar_gz, Format::tar_xz, Format::seven_zip}) {
    pack(upstream, format, {{"a", noise(3'000, random)}, {"b/c", "text"}});
    const std::string whole = base::read_file(upstream);
    for (std::size_t size = 0; size < whole.size();) {
      overwrite(std::string_view(whole).substr(0, size));
      BOOST_TEST(refusal() != "not refused", static_cast<int>(format) << ' ' << size);
      const std::size_t missing = whole.size() - size;
      size += missing > 300 ? 97 : missing > 64 ? 7 : 1;
    }
  }
}

// ZIP and tar protect names and modes less than data; a wrong byte of data never passes.
BOOST_AUTO_TEST_CASE(damaged_data_is_refused, *boost::unit_test::label("many_sandboxes")) {
  std::mt19937 random(5);
  for (const Format format : {Format::zip, Format::tar_gz, Format::tar_xz, Format::seven_zip}) {
    pack(upstream, format, {{"a/text.cfg", noise(300, random)}, {"b", noise(200, random)}});
    const std::string whole = base::read_file(upstream);
    normalise_all();
    const std::set<std::string> expected = contents();
    int refused = 0;
    for (int round = 0; round < 150; ++round) {
      std::string damaged = whole;
      damaged[random() % whole.size()] ^= static_cast<char>(1U << random() % 8);
      overwrite(damaged);
      try {
        normalise_all();
        BOOST_TEST((contents() == expected), static_cast<int>(format) << ' ' << round);
      } catch (const RefusedArchive&) {
        ++refused;
      }
    }
    BOOST_TEST(refused > 75, static_cast<int>(format));
  }
}

BOOST_AUTO_TEST_CASE(the_checksum_of_a_compressed_tar_is_reached_however_long_the_tar_is) {
  std::mt19937 random(8);
  for (const Format format : {Format::tar_gz, Format::tar_xz}) {
    for (const std::size_t size : {50'000U, 60'000U, 64'000U, 110'000U, 118'000U, 130'000U}) {
      pack(upstream, format, {{"a", noise(size, random)}});
      std::string damaged = base::read_file(upstream);
      damaged[damaged.size() / 2] ^= 1;
      overwrite(damaged);
      BOOST_TEST(refusal() != "not refused", static_cast<int>(format) << ' ' << size);
    }
  }
}

BOOST_AUTO_TEST_CASE(data_hidden_behind_the_end_of_a_compressed_tar_is_refused) {
  pack(upstream, Format::tar, {{"a", "x"}});
  const std::string tar = base::read_file(upstream);
  overwrite(tar + std::string(2U << 20, '\0'));
  run({"/usr/bin/gzip", upstream.string()});
  fs::rename(upstream.string() + ".gz", upstream);
  BOOST_TEST(contains(refusal(), "has data behind the end of its tar"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::mirror
