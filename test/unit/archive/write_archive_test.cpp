#include <boost/test/unit_test.hpp>
#include <utility>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace writing_an_archive {
namespace {

using namespace test;
namespace fs = std::filesystem;

struct Fixture {
  Fixture() {
    engine_digest = write_depot_zip(engine, {{"cstrike/dlls/cs.so", compressible(90'000)},
                                             {"cstrike/game.cfg", "from the engine"},
                                             {"hlds_linux", compressible(20'000, 2), true},
                                             {"valve/noise", incompressible(40'000)}});
    write_depot_zip(plugins, {{"cstrike/addons/a.ini", compressible(500, 3)},
                              {"cstrike/game.cfg", "from the plugins"}});
  }

  // The plugins come later and win the path that both have.
  Recipe recipe() const {
    return {
        std::string(64, 'a'),
        {{engine, {"valve/noise", "cstrike/dlls/cs.so", "hlds_linux"}},
         {plugins, {"cstrike/game.cfg", "cstrike/addons/a.ini"}}},
        {{"liblist.gam", "game \"Counter-Strike\"\n"}, {"cstrike/run.sh", "#!/bin/sh\n", true}}};
  }

  std::string build(const Recipe& what) const {
    const base::UniqueFd fd = create(out);
    PreparedArchive(what).write(fd.get(), out);
    return base::read_file(out);
  }

  base::TempDir folder;
  fs::path engine = folder.path() / "engine.zip";
  fs::path plugins = folder.path() / "plugins.zip";
  fs::path out = folder.path() / "out.zip";
  std::string engine_digest;
};

}  // namespace
}  // namespace writing_an_archive

BOOST_FIXTURE_TEST_SUITE(writing_an_archive, Fixture)

BOOST_AUTO_TEST_CASE(an_archive_holds_what_the_recipe_names_and_nothing_else) {
  build(recipe());
  const ZipReader reader(out);
  std::vector<std::string> paths;
  for (const ZipEntry& entry : reader.entries()) paths.push_back(entry.path);
  const std::vector<std::string> expected = {
      "cstrike/dlls/cs.so", "hlds_linux",     "valve/noise", "cstrike/addons/a.ini",
      "cstrike/game.cfg",   "cstrike/run.sh", "liblist.gam"};
  BOOST_TEST(paths == expected, boost::test_tools::per_element());
  BOOST_TEST(reader.comment() == "goldsmith build " + std::string(64, 'a'));
  BOOST_TEST(reader.read(entry_of(reader, "cstrike/game.cfg")) == "from the plugins");
  BOOST_TEST(reader.read(entry_of(reader, "hlds_linux")) == compressible(20'000, 2));
  BOOST_TEST(entry_of(reader, "hlds_linux").executable);
  BOOST_TEST(entry_of(reader, "cstrike/run.sh").executable);
  BOOST_TEST(!entry_of(reader, "liblist.gam").executable);
  reader.verify();
}

BOOST_AUTO_TEST_CASE(other_readers_accept_the_archive) {
  build(recipe());
  check_with_other_readers(out);
}

BOOST_AUTO_TEST_CASE(entries_are_copied_without_recompression) {
  build(recipe());
  const ZipReader from(engine);
  const ZipReader to(out);
  const ZipEntry& source = entry_of(from, "cstrike/dlls/cs.so");
  const ZipEntry& copy = entry_of(to, "cstrike/dlls/cs.so");
  const auto bytes = [](const fs::path& zip, const ZipEntry& entry) {
    return base::read_file(zip).substr(entry.local_offset, entry.local_size);
  };
  BOOST_TEST((bytes(engine, source) == bytes(out, copy)));
}

BOOST_AUTO_TEST_CASE(files_have_the_times_of_the_recipe) {
  const auto time = [](int day) {
    return kNoTime + std::chrono::days(17'000 + day) + std::chrono::seconds(3661);
  };
  Recipe dated = recipe();
  dated.depot_files[0].modified = time(1);
  dated.inline_entries[0].modified = time(2);
  dated.streamed_entries.push_back({"a.mdl", 1, false, [] { return std::string("x"); }, time(3)});
  const std::string bytes = build(dated);
  const ZipReader reader(out);
  reader.verify();
  BOOST_TEST((entry_of(reader, "valve/noise").modified == time(1)));
  BOOST_TEST((entry_of(reader, "hlds_linux").modified == time(1)));
  BOOST_TEST((entry_of(reader, "cstrike/game.cfg").modified == kNoTime));
  BOOST_TEST((entry_of(reader, "liblist.gam").modified == time(2)));
  BOOST_TEST((entry_of(reader, "a.mdl").modified == time(3)));
  BOOST_TEST(bytes.size() <= PreparedArchive(dated).size());
  BOOST_TEST((build(dated) == bytes));
  check_with_other_readers(out);
}

BOOST_AUTO_TEST_CASE(inline_entries_are_stored) {
  Recipe large = recipe();
  large.inline_entries.push_back({"large.txt", compressible(900'000)});
  build(large);
  const ZipReader reader(out);
  for (const std::string path : {"large.txt", "liblist.gam", "cstrike/run.sh"}) {
    BOOST_TEST((entry_of(reader, path).method == Method::stored), path);
  }
}

BOOST_AUTO_TEST_CASE(streamed_entries_give_the_same_bytes_as_inline_ones) {
  const std::string inlined = build(recipe());
  Recipe streamed_recipe = recipe();
  std::size_t in_memory = 0;
  for (const MemoryFile& file : std::exchange(streamed_recipe.inline_entries, {})) {
    streamed_recipe.streamed_entries.push_back(
        {file.path, file.content.size(), file.executable, [file, &in_memory] {
           ++in_memory;
           return file.content;
         }});
  }
  BOOST_TEST((build(streamed_recipe) == inlined));
  BOOST_TEST(in_memory == streamed_recipe.streamed_entries.size());  // each is read once

  // Some of each: they are sorted together.
  Recipe both = recipe();
  both.streamed_entries.push_back(streamed_recipe.streamed_entries.back());
  both.inline_entries.pop_back();
  BOOST_TEST((build(both) == inlined));
}

BOOST_AUTO_TEST_CASE(a_streamed_entry_of_another_size_is_refused) {
  Recipe wrong = recipe();
  wrong.streamed_entries.push_back({"x.mdl", 3, false, [] { return std::string("four"); }});
  const auto message = message_of<ZipError>([&] { build(wrong); });
  BOOST_TEST(contains(message, "x.mdl: has 4 bytes instead of 3"), message);
}

BOOST_AUTO_TEST_CASE(the_bytes_depend_on_the_recipe_alone) {
  const std::string first = build(recipe());
  BOOST_TEST((build(recipe()) == first));

  // The order in which paths and inline entries are named is no part of what is built.
  Recipe shuffled = recipe();
  std::swap(shuffled.depot_files[0].paths[0], shuffled.depot_files[0].paths[2]);
  std::swap(shuffled.inline_entries[0], shuffled.inline_entries[1]);
  BOOST_TEST((build(shuffled) == first));

  // Neither is the place of the depot.
  const fs::path moved = folder.path() / "elsewhere";
  fs::create_directory(moved);
  Recipe elsewhere = recipe();
  for (Recipe::DepotFile& file : elsewhere.depot_files) {
    fs::copy_file(file.zip, moved / file.zip.filename());
    file.zip = moved / file.zip.filename();
  }
  BOOST_TEST((build(elsewhere) == first));
}

BOOST_AUTO_TEST_CASE(an_archive_of_inline_entries_alone_is_built) {
  build({std::string(64, 'b'), {}, {{"a", "1"}}});
  BOOST_TEST(ZipReader(out).entries().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_missing_path_is_named_with_its_file) {
  Recipe wrong = recipe();
  wrong.depot_files[1].paths.push_back("cstrike/missing.so");
  const auto message = message_of<ZipError>([&] { build(wrong); });
  BOOST_TEST(contains(message, "plugins.zip: no entry cstrike/missing.so"), message);
}

BOOST_AUTO_TEST_CASE(two_depot_files_with_the_same_path_are_refused) {
  Recipe wrong = recipe();
  wrong.depot_files[0].paths.push_back("cstrike/game.cfg");
  const auto message = message_of<ZipError>([&] { build(wrong); });
  BOOST_TEST(contains(message, "a path twice: cstrike/game.cfg"), message);
}

BOOST_AUTO_TEST_CASE(a_path_that_a_part_names_twice_is_refused) {
  Recipe wrong = recipe();
  wrong.depot_files[0].paths.push_back("hlds_linux");
  BOOST_CHECK_THROW(build(wrong), ZipError);
}

BOOST_AUTO_TEST_CASE(an_inline_entry_on_the_path_of_a_part_is_refused) {
  Recipe wrong = recipe();
  wrong.inline_entries.push_back({"hlds_linux", "mine"});
  BOOST_CHECK_THROW(build(wrong), ZipError);
}

BOOST_AUTO_TEST_CASE(a_missing_or_damaged_depot_file_is_an_error_that_names_it) {
  const std::string bytes = base::read_file(engine);
  base::write_atomically(engine, bytes.substr(0, bytes.size() - 1));
  auto message = message_of<ZipError>([&] { build(recipe()); });
  BOOST_TEST(contains(message, "engine.zip"), message);
  fs::remove(engine);
  message = message_of<base::FileError>([&] { build(recipe()); });
  BOOST_TEST(contains(message, "engine.zip"), message);
}

BOOST_AUTO_TEST_CASE(a_depot_file_other_than_the_planned_one_is_refused) {
  Recipe planned = recipe();
  planned.depot_files[0].digest = engine_digest;
  BOOST_CHECK_NO_THROW(build(planned));
  write_depot_zip(engine, {{"cstrike/dlls/cs.so", "mirrored again"},
                           {"hlds_linux", "mirrored again"},
                           {"valve/noise", "mirrored again"}});
  const auto message = message_of<ZipError>([&] { build(planned); });
  BOOST_TEST(contains(message, "engine.zip: its content is not what the build was planned with"),
             message);
  BOOST_TEST(contains(message, engine_digest), message);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive
