// Which files of a cache are removed, whatever they are.
#include "app/archive/cache_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <map>

#include "test/support/tiny_disk.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace cache_folder {
namespace {

using namespace test;
namespace fs = std::filesystem;
using std::chrono::days;
using std::chrono::seconds;

CachedFileKind kind_of(const fs::path& file) {
  if (file.extension() == ".part") return CachedFileKind::unfinished;
  return file.extension() == ".txt" ? CachedFileKind::stray : CachedFileKind::finished;
}

constexpr CacheFormat kFormat{"samples", kind_of, nullptr, seconds(3600)};
constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

struct Fixture {
  // Files of 100 bytes that were last used so many days ago.
  void add(const std::map<std::string, int>& ages) const {
    for (const auto& [name, age] : ages) {
      base::write_atomically(root / name, std::string(100, 'x'));
      set_last_use(root / name, days(age));
    }
  }
  CacheFolder folder(const CacheLimits& limits) const { return {root, kFormat, limits}; }
  static CacheLimits limits(std::uint64_t bytes, days unused = days(1'000)) {
    return {bytes, 0, seconds(10), unused};
  }
  std::string names() const {
    std::string names;
    for (const CachedFile& file : folder({}).files()) names += file.path.filename();
    return names;
  }
  // What is left.
  std::string pruned(const CacheLimits& to) const {
    folder(to).prune([](seconds) {});
    return names();
  }

  base::TempDir temporary;
  fs::path root = temporary.path();
};

}  // namespace
}  // namespace cache_folder

BOOST_FIXTURE_TEST_SUITE(cache_folder, Fixture)

BOOST_AUTO_TEST_CASE(what_keeps_all_limits_stays) {
  BOOST_TEST(pruned(limits(0)) == "");
  add({{"a", 5}, {"b", 4}});
  BOOST_TEST(pruned(limits(200, days(6))) == "ab");
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_go_until_the_rest_is_small_enough) {
  add({{"a", 2}, {"b", 4}, {"c", 1}, {"d", 3}});
  BOOST_TEST(pruned(limits(399)) == "acd");
  BOOST_TEST(pruned(limits(200)) == "ac");
  BOOST_TEST(pruned(limits(99)) == "");
}

BOOST_AUTO_TEST_CASE(what_was_not_used_for_long_goes_however_small_the_cache_is) {
  add({{"a", 2}, {"b", 4}, {"c", 3}});
  BOOST_TEST(pruned(limits(1'000, days(5))) == "abc");
  BOOST_TEST(pruned(limits(1'000, days(1))) == "");
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_too_full_takes_as_much_as_it_needs,
                     *boost::unit_test::precondition(may_mount)) {
  const TinyDisk disk(temporary.path() / "tiny");
  BOOST_TEST_REQUIRE(disk.mounted());
  root = disk.path();
  add({{"a", 2}, {"b", 4}, {"c", 3}});
  const std::uint64_t available = base::available_bytes(root);
  BOOST_TEST(pruned({kAny, available + 1}) == "ac");
  const std::uint64_t more = base::available_bytes(root);
  BOOST_TEST(pruned({kAny, more + 101}) == "");
}

BOOST_AUTO_TEST_CASE(the_limits_are_kept_together_not_added_up) {
  add({{"a", 5}, {"b", 3}, {"c", 2}, {"d", 1}});
  BOOST_TEST(pruned(limits(300, days(4))) == "bcd");
}

BOOST_AUTO_TEST_CASE(of_files_used_at_once_the_first_by_name_goes) {
  add({{"a", 1}, {"b", 1}});
  for (const char* name : {"a", "b"}) {
    const timespec times[] = {{86'400, 0}, {0, UTIME_OMIT}};
    BOOST_TEST_REQUIRE(::utimensat(AT_FDCWD, (root / name).c_str(), times, 0) == 0);
  }
  BOOST_TEST(pruned({.bytes = 100}) == "b");
}

BOOST_AUTO_TEST_CASE(strays_neither_count_nor_go) {
  add({{"a", 2}, {"notes.txt", 9}});
  BOOST_TEST(pruned(limits(100)) == "anotes.txt");
  folder({}).clear([](seconds) {});
  BOOST_TEST(names() == "notes.txt");
}

BOOST_AUTO_TEST_CASE(unfinished_files_count_and_go_once_they_are_abandoned) {
  add({{"a", 2}, {"new.part", 0}, {"old.part", 1}, {"used.part", 1}});
  const base::UniqueFd writer = base::open_file(root / "used.part", O_RDONLY);
  BOOST_TEST_REQUIRE(::flock(writer.get(), LOCK_EX | LOCK_NB) == 0);
  BOOST_TEST(pruned(limits(300)) == "anew.partused.part");
  BOOST_TEST(pruned(limits(299)) == "new.partused.part");
}

BOOST_AUTO_TEST_CASE(workers_and_the_operator_remove_in_the_same_order) {
  for (const CacheFolder::Wait& wait : {CacheFolder::Wait(), CacheFolder::Wait([](seconds) {})}) {
    add({{"a", 2}, {"b", 4}, {"c", 1}, {"d", 3}});
    const CacheFolder cache = folder(limits(350));
    CacheFolder::Room room(cache, cache.lock(), wait);
    BOOST_TEST(!room.make(100));
    BOOST_TEST(room.finish().bytes == 200U);
    BOOST_TEST(room.used().bytes == 200U);
    BOOST_TEST(names() == "ac");
  }
}

BOOST_AUTO_TEST_CASE(room_to_spare_is_made_where_it_can_be) {
  using Spare = CacheFolder::Room::Spare;
  add({{"a", 2}, {"b", 4}});
  const CacheFolder cache = folder(limits(310));
  BOOST_TEST(!CacheFolder::Room(cache, cache.lock()).make(100));
  BOOST_TEST(names() == "ab");
  BOOST_TEST(!CacheFolder::Room(cache, cache.lock()).make(100, Spare::tenth));
  BOOST_TEST(names() == "a");
  BOOST_TEST(!CacheFolder::Room(cache, cache.lock()).make(310, Spare::tenth));
  BOOST_TEST(names() == "");
}

BOOST_AUTO_TEST_CASE(inodes_to_spare_are_made_too) {
  for (char name = 'a'; name <= 't'; ++name) add({{std::string(1, name), 'z' - name}});
  CacheLimits most = limits(100'000);
  most.inodes = 20;
  const CacheFolder cache = folder(most);
  BOOST_TEST(!CacheFolder::Room(cache, cache.lock()).make(0));
  BOOST_TEST(names() == "abcdefghijklmnopqrst");
  BOOST_TEST(!CacheFolder::Room(cache, cache.lock()).make(0, CacheFolder::Room::Spare::tenth));
  BOOST_TEST(names() == "cdefghijklmnopqrst");
}

BOOST_AUTO_TEST_CASE(only_regular_files_are_listed_with_size_and_last_use) {
  base::write_atomically(root / "b", "four");
  base::write_atomically(root / "a", "");
  fs::create_directory(root / "folder");
  fs::create_symlink("b", root / "link");
  const timespec times[] = {{86'400, 0}, {0, UTIME_OMIT}};
  BOOST_TEST_REQUIRE(::utimensat(AT_FDCWD, (root / "b").c_str(), times, 0) == 0);

  const std::vector<CachedFile> files = folder({}).files();
  BOOST_TEST_REQUIRE(files.size() == 2U);
  BOOST_TEST(files[0].path == root / "a");
  BOOST_TEST(files[1].bytes == 4U);
  BOOST_TEST((files[1].last_use == std::chrono::system_clock::time_point(days(1))));
}

BOOST_AUTO_TEST_CASE(a_missing_folder_is_empty_and_a_file_is_no_folder) {
  BOOST_TEST(CacheFolder(root / "none", kFormat, {}).files().empty());
  base::write_atomically(root / "file", "");
  BOOST_CHECK_THROW(CacheFolder(root / "file", kFormat, {}).files(), base::FileError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive
