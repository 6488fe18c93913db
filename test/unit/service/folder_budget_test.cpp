#include "app/service/folder_budget.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <ctime>
#include <limits>

#include "app/sys/file.hpp"

namespace goldsmith::service {
namespace {

namespace fs = std::filesystem;

bool is_ours(const fs::path& file) { return file.extension() == ".ours"; }

struct Fixture {
  Fixture() { fs::create_directory(root); }

  FolderBudget budget(std::uint64_t bytes = 1000, std::uint64_t free_bytes = 0) const {
    return {root, folder.path() / "shared", {bytes, free_bytes, is_ours}};
  }
  // As if it had last been used so long ago.
  void add(const std::string& name, std::size_t bytes, int seconds_ago = 0) const {
    sys::write_atomically(root / name, std::string(bytes, 'x'));
    const timespec times[] = {{std::time(nullptr) - seconds_ago, 0}, {0, UTIME_OMIT}};
    BOOST_TEST_REQUIRE(::utimensat(AT_FDCWD, (root / name).c_str(), times, 0) == 0);
  }
  bool has(const std::string& name) const { return fs::exists(root / name); }

  sys::TempDir folder;
  fs::path root = folder.path() / "files";
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(folder_budget, Fixture)

BOOST_AUTO_TEST_CASE(within_the_size_nothing_goes) {
  FolderBudget own = budget();
  for (const char* name : {"a.ours", "b.ours", "c.ours", "d.ours"}) {
    BOOST_TEST(own.make_room(250));
    add(name, 250);
  }
  BOOST_TEST((has("a.ours") && has("b.ours") && has("c.ours") && has("d.ours")));
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_go_until_there_is_room_and_some_to_spare) {
  add("old.ours", 300, 60);
  add("older.ours", 300, 120);
  add("new.ours", 300, 1);
  BOOST_TEST(budget().make_room(200));
  BOOST_TEST(!has("older.ours"));
  BOOST_TEST(has("old.ours"));
  BOOST_TEST(has("new.ours"));
}

BOOST_AUTO_TEST_CASE(what_another_process_adds_counts) {
  FolderBudget own = budget();
  FolderBudget other = budget();
  BOOST_TEST(own.make_room(600));
  add("a.ours", 600, 60);
  BOOST_TEST(other.make_room(600));
  add("b.ours", 600);
  BOOST_TEST(!has("a.ours"));
  BOOST_TEST(has("b.ours"));
}

BOOST_AUTO_TEST_CASE(a_file_larger_than_all_has_no_room_and_does_not_count) {
  FolderBudget own = budget();
  BOOST_TEST(!own.make_room(1001));
  BOOST_TEST(own.make_room(900));
}

BOOST_AUTO_TEST_CASE(what_is_not_ours_stays_and_counts) {
  add("notes.txt", 800, 3600);
  add("a.ours", 100, 60);
  FolderBudget own = budget();
  BOOST_TEST(!own.make_room(300));
  BOOST_TEST(has("notes.txt"));
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_too_full_costs_all_and_takes_nothing) {
  add("a.ours", 100);
  BOOST_TEST(!budget(1000, std::numeric_limits<std::uint64_t>::max() / 2).make_room(100));
  BOOST_TEST(!has("a.ours"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::service
