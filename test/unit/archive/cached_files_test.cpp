#include "app/archive/cached_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "app/sys/file.hpp"

namespace goldsmith::archive {
namespace {

namespace fs = std::filesystem;
using Time = std::chrono::system_clock::time_point;

Time day(int number) { return Time(std::chrono::days(number)); }

std::vector<CachedFile> files_used_on(const std::vector<std::pair<std::string, int>>& names) {
  std::vector<CachedFile> files;
  for (const auto& [name, used] : names) files.push_back({name, 100, day(used)});
  return files;
}

std::string names_of(const std::vector<CachedFile>& files) {
  std::string names;
  for (const CachedFile& file : files) names += file.path.string();
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(files_of_a_cache)

BOOST_AUTO_TEST_CASE(what_keeps_all_bounds_stays) {
  const auto files = files_used_on({{"a", 5}, {"b", 6}});
  BOOST_TEST(names_of(select_evictions(files, {200, day(5), 0})) == "");
  BOOST_TEST(names_of(select_evictions({}, {0, day(5), 100})) == "");
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_go_until_the_rest_is_small_enough) {
  const auto files = files_used_on({{"a", 3}, {"b", 1}, {"c", 4}, {"d", 2}});
  BOOST_TEST(names_of(select_evictions(files, {399, day(0), 0})) == "b");
  BOOST_TEST(names_of(select_evictions(files, {200, day(0), 0})) == "bd");
  BOOST_TEST(names_of(select_evictions(files, {99, day(0), 0})) == "bdac");
}

BOOST_AUTO_TEST_CASE(what_was_not_used_for_long_goes_however_small_the_cache_is) {
  const auto files = files_used_on({{"a", 3}, {"b", 1}, {"c", 2}});
  BOOST_TEST(names_of(select_evictions(files, {1'000, day(3), 0})) == "bc");
  BOOST_TEST(names_of(select_evictions(files, {1'000, day(4), 0})) == "bca");
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_too_full_takes_as_much_as_it_needs) {
  const auto files = files_used_on({{"a", 3}, {"b", 1}, {"c", 2}});
  BOOST_TEST(names_of(select_evictions(files, {1'000, day(0), 1})) == "b");
  BOOST_TEST(names_of(select_evictions(files, {1'000, day(0), 101})) == "bc");
  BOOST_TEST(names_of(select_evictions(files, {1'000, day(0), 9'999})) == "bca");
}

BOOST_AUTO_TEST_CASE(the_bounds_are_kept_together_not_added_up) {
  const auto files = files_used_on({{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}});
  BOOST_TEST(names_of(select_evictions(files, {300, day(3), 50})) == "ab");
}

BOOST_AUTO_TEST_CASE(of_files_used_at_once_the_first_by_name_goes) {
  BOOST_TEST(names_of(select_evictions(files_used_on({{"b", 1}, {"a", 1}}), {100, day(0), 0})) ==
             "a");
}

BOOST_AUTO_TEST_CASE(only_regular_files_are_listed_with_size_and_last_use) {
  const sys::TempDir folder;
  sys::write_atomically(folder.path() / "b", "four");
  sys::write_atomically(folder.path() / "a", "");
  fs::create_directory(folder.path() / "folder");
  fs::create_symlink("b", folder.path() / "link");
  const timespec times[] = {{86'400, 0}, {0, UTIME_OMIT}};
  BOOST_TEST_REQUIRE(::utimensat(AT_FDCWD, (folder.path() / "b").c_str(), times, 0) == 0);

  const std::vector<CachedFile> files = cached_files(folder.path());
  BOOST_TEST_REQUIRE(files.size() == 2U);
  BOOST_TEST(files[0].path == folder.path() / "a");
  BOOST_TEST(files[1].bytes == 4U);
  BOOST_TEST((files[1].last_use == day(1)));
}

BOOST_AUTO_TEST_CASE(a_missing_folder_is_empty_and_a_file_is_no_folder) {
  const sys::TempDir folder;
  BOOST_TEST(cached_files(folder.path() / "none").empty());
  sys::write_atomically(folder.path() / "file", "");
  BOOST_CHECK_THROW(cached_files(folder.path() / "file"), sys::FileError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive
