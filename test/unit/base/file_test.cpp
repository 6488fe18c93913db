#include "app/base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <functional>
#include <thread>

using namespace goldsmith::base;
namespace fs = std::filesystem;

namespace {

int error_number_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const FileError& error) {
    return error.error_number();
  }
  return 0;
}

std::size_t entries_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

mode_t mode_of(const fs::path& path) {
  struct stat status{};
  BOOST_TEST_REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

}  // namespace

BOOST_AUTO_TEST_SUITE(file)

BOOST_AUTO_TEST_CASE(what_was_written_reads_back) {
  const TempDir folder;
  const std::string bytes("a\0\n\xFF", 4);
  write_atomically(folder.path() / "with space", bytes);
  BOOST_TEST(read_file(folder.path() / "with space") == bytes);
}

BOOST_AUTO_TEST_CASE(an_empty_file_is_read_as_such) {
  const TempDir folder;
  write_atomically(folder.path() / "empty", "");
  BOOST_TEST(read_file(folder.path() / "empty").empty());
  BOOST_TEST(read_file(folder.path() / "empty", 0).empty());
}

BOOST_AUTO_TEST_CASE(large_files_are_read_whole) {
  const TempDir folder;
  std::string bytes;
  for (int i = 0; bytes.size() < 1'000'000; ++i) bytes += std::to_string(i);
  write_atomically(folder.path() / "large", bytes);
  BOOST_TEST((read_file(folder.path() / "large") == bytes));
}

BOOST_AUTO_TEST_CASE(a_file_that_does_not_tell_its_size_is_read_whole) {
  BOOST_TEST(!read_file("/proc/self/status").empty());
}

BOOST_AUTO_TEST_CASE(the_size_limit_is_exact) {
  const TempDir folder;
  const fs::path path = folder.path() / "file";
  write_atomically(path, std::string(1000, 'x'));
  BOOST_TEST(read_file(path, 1000).size() == 1000U);
  BOOST_TEST(error_number_of([&] { read_file(path, 999); }) == EFBIG);
  BOOST_TEST(error_number_of([] { read_file("/proc/self/status", 10); }) == EFBIG);
}

BOOST_AUTO_TEST_CASE(only_regular_files_are_read) {
  const TempDir folder;
  const fs::path fifo = folder.path() / "fifo";
  BOOST_TEST_REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  BOOST_TEST(error_number_of([&] { read_file(fifo); }) == EINVAL);
  BOOST_TEST(error_number_of([] { read_file("/dev/zero"); }) == EINVAL);
  BOOST_TEST(error_number_of([&] { read_file(folder.path()); }) == EINVAL);
}

BOOST_AUTO_TEST_CASE(an_error_names_the_path_and_what_was_tried) {
  const TempDir folder;
  const fs::path path = folder.path() / "missing";
  try {
    read_file(path);
    BOOST_TEST(false, "no error");
  } catch (const FileError& error) {
    BOOST_TEST(error.what() == path.string() + ": can't be opened: No such file or directory");
    BOOST_TEST(error.error_number() == ENOENT);
  }
}

BOOST_AUTO_TEST_CASE(a_descriptor_is_closed_once_by_its_last_owner) {
  int number = -1;
  {
    UniqueFd first = open_file("/dev/null", O_RDONLY);
    number = first.get();
    UniqueFd second = std::move(first);
    BOOST_TEST(!first);
    BOOST_TEST(second.get() == number);
    UniqueFd& alias = second;
    second = std::move(alias);
    BOOST_TEST(is_open(number));
  }
  BOOST_TEST(!is_open(number));
}

BOOST_AUTO_TEST_CASE(a_released_descriptor_stays_open) {
  UniqueFd owner = open_file("/dev/null", O_RDONLY);
  const int number = owner.release();
  owner.reset();
  BOOST_TEST(is_open(number));
  ::close(number);
}

BOOST_AUTO_TEST_CASE(opened_files_are_closed_on_exec) {
  const UniqueFd fd = open_file("/dev/null", O_RDONLY);
  BOOST_TEST((::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

BOOST_AUTO_TEST_CASE(a_write_larger_than_the_pipe_is_finished) {
  int ends[2];
  BOOST_TEST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const std::string bytes(1'000'000, 'x');
  std::size_t received = 0;
  std::thread drain([&] {
    char chunk[4096];
    ssize_t got = 0;
    while ((got = ::read(reader.get(), chunk, sizeof chunk)) > 0) {
      received += static_cast<std::size_t>(got);
    }
  });
  write_all(writer.get(), bytes, "pipe");
  writer.reset();
  drain.join();
  BOOST_TEST(received == bytes.size());
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_reported) {
  const UniqueFd full = open_file("/dev/full", O_WRONLY);
  BOOST_TEST(error_number_of([&] { write_all(full.get(), "x", "/dev/full"); }) == ENOSPC);
}

BOOST_AUTO_TEST_CASE(a_replaced_file_has_the_new_content_and_mode) {
  const TempDir folder;
  const fs::path path = folder.path() / "file";
  write_atomically(path, "old");
  BOOST_TEST(mode_of(path) == 0644U);
  write_atomically(path, "new", 0600);
  BOOST_TEST(read_file(path) == "new");
  BOOST_TEST(mode_of(path) == 0600U);
  BOOST_TEST(entries_in(folder.path()) == 1U);
}

BOOST_AUTO_TEST_CASE(a_link_is_replaced_and_its_target_left_alone) {
  const TempDir folder;
  write_atomically(folder.path() / "target", "kept");
  fs::create_symlink("target", folder.path() / "link");
  write_atomically(folder.path() / "link", "new");
  BOOST_TEST(read_file(folder.path() / "target") == "kept");
  BOOST_TEST(!fs::is_symlink(folder.path() / "link"));
}

BOOST_AUTO_TEST_CASE(a_failed_replacement_leaves_nothing_behind) {
  const TempDir folder;
  const fs::path path = folder.path() / "occupied";
  fs::create_directory(path);  // rename can't replace it with a file
  BOOST_CHECK_THROW(write_atomically(path, "x"), FileError);
  BOOST_TEST(entries_in(folder.path()) == 1U);
  BOOST_TEST(fs::is_directory(path));
}

BOOST_AUTO_TEST_CASE(a_file_in_a_missing_folder_can_not_be_written) {
  const TempDir folder;
  BOOST_TEST(error_number_of([&] { write_atomically(folder.path() / "no" / "file", "x"); }) ==
             ENOENT);
}

BOOST_AUTO_TEST_CASE(a_name_of_the_greatest_length_can_be_written) {
  const TempDir folder;
  const fs::path path = folder.path() / std::string(255, 'n');
  write_atomically(path, "x");
  BOOST_TEST(read_file(path) == "x");
}

BOOST_AUTO_TEST_CASE(a_use_moves_the_time_of_access_alone_and_reading_is_none) {
  const TempDir folder;
  const fs::path path = folder.path() / "file";
  write_atomically(path, "x");
  const timespec long_ago[] = {{1'000, 0}, {2'000, 0}};
  BOOST_TEST_REQUIRE(::utimensat(AT_FDCWD, path.c_str(), long_ago, 0) == 0);
  struct stat status{};
  read_file(path);
  BOOST_TEST_REQUIRE(::stat(path.c_str(), &status) == 0);
  BOOST_TEST(status.st_atim.tv_sec == 1'000);
  BOOST_TEST(mark_used(path));
  BOOST_TEST_REQUIRE(::stat(path.c_str(), &status) == 0);
  BOOST_TEST(status.st_atim.tv_sec > 1'000'000);
  BOOST_TEST(status.st_mtim.tv_sec == 2'000);
}

BOOST_AUTO_TEST_CASE(what_is_not_there_can_not_be_used) {
  const TempDir folder;
  BOOST_TEST(!mark_used(folder.path() / "none"));
  write_atomically(folder.path() / "file", "");
  BOOST_TEST(!mark_used(folder.path() / "file" / "below"));
  BOOST_TEST(error_number_of([&] { mark_used(folder.path() / std::string(256, 'a')); }) ==
             ENAMETOOLONG);
}

BOOST_AUTO_TEST_CASE(a_temporary_folder_is_private_and_removed_with_all_it_holds) {
  fs::path path;
  {
    const TempDir folder(fs::temp_directory_path(), "prefix");
    path = folder.path();
    BOOST_TEST(path.filename().string().starts_with("prefix-"));
    BOOST_TEST(mode_of(path) == 0700U);
    fs::create_directories(path / "a" / "b");
    write_atomically(path / "a" / "b" / "c", "x");
  }
  BOOST_TEST(!fs::exists(path));
}

BOOST_AUTO_TEST_CASE(a_temporary_folder_is_removed_though_its_folders_are_locked) {
  fs::path path;
  {
    const TempDir folder;
    path = folder.path();
    fs::create_directories(path / "a" / "b");
    write_atomically(path / "a" / "b" / "c", "x");
    fs::permissions(path / "a" / "b", fs::perms::none);
    fs::permissions(path / "a", fs::perms::none);
  }
  BOOST_TEST(!fs::exists(path));
}

BOOST_AUTO_TEST_CASE(removing_a_temporary_folder_does_not_follow_links) {
  const TempDir outside;
  write_atomically(outside.path() / "kept", "x");
  {
    const TempDir folder;
    fs::create_directory_symlink(outside.path(), folder.path() / "link");
  }
  BOOST_TEST(fs::exists(outside.path() / "kept"));
}

BOOST_AUTO_TEST_CASE(two_temporary_folders_differ) {
  const TempDir first;
  const TempDir second;
  BOOST_TEST(first.path() != second.path());
}

BOOST_AUTO_TEST_CASE(a_temporary_folder_needs_its_parent) {
  const TempDir folder;
  BOOST_TEST(error_number_of([&] { TempDir inner(folder.path() / "missing"); }) == ENOENT);
}

BOOST_AUTO_TEST_CASE(only_a_folder_can_be_synced_as_one) {
  const TempDir folder;
  write_atomically(folder.path() / "file", "x");
  BOOST_CHECK_NO_THROW(sync_directory(folder.path()));
  BOOST_TEST(error_number_of([&] { sync_directory(folder.path() / "file"); }) == ENOTDIR);
}

BOOST_AUTO_TEST_SUITE_END()
