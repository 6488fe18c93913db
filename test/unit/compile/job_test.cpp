#include "app/compile/job.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "test/unit/compile/plugin_builder.hpp"

using namespace goldsmith::compile;
using goldsmith::base::read_file;
using goldsmith::domain::PluginVersion;
namespace fs = std::filesystem;

namespace {

struct Scratch {
  goldsmith::base::TempDir parent;

  Job job(const PluginVersion& version) const {
    return Job(parent.path(), version, *goldsmith::domain::entry_point(version));
  }
};

goldsmith::domain::PluginFile in(const std::string& folder, goldsmith::domain::PluginFile file) {
  file.install_dir = folder;
  return file;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job)

BOOST_AUTO_TEST_CASE(a_file_of_a_mebibyte_is_placed_and_no_larger_one) {
  goldsmith::domain::PluginFile file;
  file.content.assign(pawn::kLargestSource, ' ');
  BOOST_TEST(pawn::is_placed(file));
  file.content += ' ';
  BOOST_TEST(!pawn::is_placed(file));
  file.content.clear();
  file.size_bytes = pawn::kLargestSource;
  BOOST_TEST(pawn::is_placed(file));  // the content need not be loaded
  file.size_bytes += 1;
  BOOST_TEST(!pawn::is_placed(file));
}

BOOST_FIXTURE_TEST_CASE(the_entry_point_has_a_fixed_name_and_the_others_lie_in_src, Scratch) {
  const auto version = plugin_of({source_file("hello.sma", "entry"), source_file("a.inc", "a")});
  const Job made = job(version);
  BOOST_TEST(made.source() == "plugin.sma");
  BOOST_TEST(read_file(made.folder() / "plugin.sma") == "entry");
  BOOST_TEST(read_file(made.folder() / "src/a.inc") == "a");
  BOOST_TEST(!fs::exists(made.folder() / "src/hello.sma"));
  BOOST_TEST(fs::is_empty(made.folder() / "out"));
}

BOOST_FIXTURE_TEST_CASE(a_byte_order_mark_is_removed_once, Scratch) {
  const auto version = plugin_of({source_file("hello.sma", "\xEF\xBB\xBF\xEF\xBB\xBFx"),
                                  source_file("a.inc", "\xEF\xBB\xBF")});
  const Job made = job(version);
  BOOST_TEST(read_file(made.folder() / "plugin.sma") == "\xEF\xBB\xBFx");
  BOOST_TEST(read_file(made.folder() / "src/a.inc").empty());
}

BOOST_FIXTURE_TEST_CASE(another_file_called_plugin_sma_keeps_its_name, Scratch) {
  auto version = plugin_of({source_file("main.sma", "entry"), source_file("plugin.sma", "other"),
                            source_file("_plugin.sma", "third")});
  version.files[0].is_primary = true;
  const Job made = job(version);
  BOOST_TEST(read_file(made.folder() / made.source()) == "entry");
  BOOST_TEST(read_file(made.folder() / "src/plugin.sma") == "other");
  BOOST_TEST(!fs::exists(made.folder() / "src" / made.source()));
}

BOOST_FIXTURE_TEST_CASE(files_below_the_entry_point_are_found_by_their_place_too, Scratch) {
  const auto version =
      plugin_of({in("addons/amxmodx/scripting", source_file("hello.sma", "")),
                 in("addons/amxmodx/scripting/include/mod", source_file("x.inc", "nested")),
                 in("addons/amxmodx/configs", source_file("x.ini", "elsewhere"))});
  const Job made = job(version);
  BOOST_TEST(read_file(made.folder() / "tree/include/mod/x.inc") == "nested");
  BOOST_TEST(read_file(made.folder() / "src/x.inc") == "nested");
  BOOST_TEST(read_file(made.folder() / "src/x.ini") == "elsewhere");
  BOOST_TEST(!fs::exists(made.folder() / "tree/addons"));
}

BOOST_FIXTURE_TEST_CASE(of_two_files_with_one_name_the_one_beside_the_entry_point_wins, Scratch) {
  const auto version =
      plugin_of({in("a", source_file("x.inc", "far")), in("s", source_file("hello.sma", "")),
                 in("s", source_file("x.inc", "near"))});
  BOOST_TEST(read_file(job(version).folder() / "src/x.inc") == "near");
}

BOOST_FIXTURE_TEST_CASE(a_file_in_the_place_of_a_folder_does_no_harm, Scratch) {
  const auto version =
      plugin_of({in("", source_file("hello.sma", "")), in("a", source_file("b", "a file")),
                 in("a/b", source_file("c.inc", "below it"))});
  const Job made = job(version);
  BOOST_TEST(read_file(made.folder() / "tree/a/b") == "a file");
  BOOST_TEST(read_file(made.folder() / "src/c.inc") == "below it");
}

BOOST_FIXTURE_TEST_CASE(names_that_leave_the_folder_are_refused, Scratch) {
  for (const char* name : {"../x.inc", "/etc/x.inc", "..", "", "a\nb.inc"}) {
    const auto version = plugin_of({source_file("hello.sma", ""), source_file("a.inc", "")});
    auto changed = version;
    changed.files[1].filename = name;
    BOOST_CHECK_THROW(job(changed), std::invalid_argument);
  }
  BOOST_CHECK_THROW(job(plugin_of({in("s", source_file("hello.sma", "")),
                                   in("s/../../x", source_file("a.inc", ""))})),
                    std::invalid_argument);
  BOOST_TEST(fs::is_empty(parent.path()));
}

BOOST_FIXTURE_TEST_CASE(files_too_large_for_a_source_are_left_out, Scratch) {
  const auto version = plugin_of(
      {source_file("hello.sma", ""), source_file("music.wav", std::string((1U << 20) + 1, 'x'))});
  BOOST_TEST(!fs::exists(job(version).folder() / "src/music.wav"));
}

BOOST_FIXTURE_TEST_CASE(only_a_regular_file_is_taken_for_output, Scratch) {
  const Job made = job(plugin_of({source_file("hello.sma", "")}));
  const fs::path out = made.folder() / "out";
  goldsmith::base::write_atomically(out / "plain", "text");
  fs::create_symlink("plain", out / "link");
  fs::create_directory(out / "folder");
  BOOST_REQUIRE(::mkfifo((out / "fifo").c_str(), 0600) == 0);
  BOOST_TEST(made.output("plain", 4) == "text");
  for (const char* name : {"link", "folder", "fifo", "missing"}) {
    BOOST_TEST(made.output(name, 100).empty(), name);
  }
  BOOST_TEST(made.output("plain", 3).empty());
}

BOOST_FIXTURE_TEST_CASE(a_job_leaves_no_files_behind, Scratch) {
  {
    const Job made = job(plugin_of({source_file("hello.sma", "x")}));
  }
  BOOST_TEST(fs::is_empty(parent.path()));
}

BOOST_FIXTURE_TEST_CASE(extra_includes_lie_in_a_folder_of_their_own, Scratch) {
  const Job made = job(plugin_of({source_file("hello.sma", "entry")}));
  made.add({{"api.inc", "api"}, {"sub/a.inc", "\xEF\xBB\xBFx"}, {"api.inc", "again"}});
  made.add({{"api.inc/x.inc", "below a file"}, {"sub", "a file over a folder"}});
  BOOST_TEST(read_file(made.folder() / "more/api.inc") == "api");
  BOOST_TEST(read_file(made.folder() / "more/sub/a.inc") == "x");
  for (const std::string name : {"", "../x.inc", "/x.inc", "a/../x.inc", "a//x.inc", "a\nb"}) {
    BOOST_CHECK_THROW(made.add({{name, "x"}}), std::invalid_argument);
  }
}

BOOST_AUTO_TEST_CASE(a_toolchain_is_copied_once_for_an_account_alone_and_not_left_behind) {
  const goldsmith::base::TempDir original;
  const goldsmith::base::TempDir scratch;
  fs::create_directory(original.path() / "include");
  goldsmith::base::write_atomically(original.path() / "include/a.inc", "a");
  {
    ToolchainCopies copies(scratch.path(), {::getuid(), ::getgid()});
    const Toolchain toolchain{"1.9", original.path(), original.path() / "include"};
    const Toolchain copy = copies.copy_of(toolchain);
    BOOST_TEST(copy.line == "1.9");
    BOOST_TEST(copy.folder.parent_path() == scratch.path());
    BOOST_TEST(copy.operator_includes.parent_path() == scratch.path());
    BOOST_TEST((fs::status(copy.folder).permissions() == fs::perms(0750)));
    goldsmith::base::write_atomically(original.path() / "include/a.inc", "changed");
    BOOST_TEST(copies.copy_of(toolchain).folder == copy.folder);
    BOOST_TEST(read_file(copy.folder / "include/a.inc") == "a");
    BOOST_TEST(read_file(copy.operator_includes / "a.inc") == "a");
    BOOST_TEST(copies.copy_of({"1.9", original.path(), "/nonexistent"}).operator_includes ==
               "/nonexistent");
    BOOST_CHECK_THROW(copies.copy_of({"1.10", "/nonexistent", ""}), fs::filesystem_error);
  }
  BOOST_TEST(fs::is_empty(scratch.path()));
}

BOOST_AUTO_TEST_SUITE_END()
