// Files that several users share: nobody can lead a process to another file.
#include "app/host/shared_file.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <barrier>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <future>

#include "app/host/shared_file.hpp"
#include "test/support/tiny_disk.hpp"

using namespace goldsmith::base;
using namespace goldsmith::host;

namespace {

namespace fs = std::filesystem;

struct SharedPlace {
  TempDir folder;
  fs::path file = folder.path() / "shared";
  fs::path precious = folder.path() / "precious";

  SharedPlace() { write_atomically(precious, "precious", 0600); }

  // Every way to open the file is refused, and the precious one stays as it is.
  void is_refused(int error_number) {
    const auto check = [&](const FileError& error) { return error.error_number() == error_number; };
    for (const OpenShared mode : {OpenShared::create, OpenShared::existing}) {
      BOOST_CHECK_EXCEPTION(open_shared(file, mode), FileError, check);
    }
    BOOST_CHECK_EXCEPTION(write_shared(file, "x"), FileError, check);
    BOOST_CHECK_EXCEPTION((SharedFile(file, OpenShared::create, {1, 16})), FileError, check);
    BOOST_CHECK_EXCEPTION(HostSemaphore{file}, FileError, check);
    BOOST_TEST(read_file(precious) == "precious");
  }

  mode_t mode() const {
    struct stat status{};
    BOOST_TEST_REQUIRE(::stat(file.c_str(), &status) == 0);
    return status.st_mode & 07777U;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shared_files, SharedPlace)

BOOST_AUTO_TEST_CASE(a_new_one_is_for_its_owner_and_group) {
  const mode_t mask = ::umask(0077);
  open_shared(file, OpenShared::create);
  ::umask(mask);
  BOOST_TEST(mode() == 0660U);
}

BOOST_AUTO_TEST_CASE(a_link_is_not_followed) {
  fs::create_symlink(precious, file);
  is_refused(ELOOP);
}

BOOST_AUTO_TEST_CASE(a_link_to_nowhere_makes_no_file) {
  fs::create_symlink(folder.path() / "elsewhere", file);
  is_refused(ELOOP);
  BOOST_TEST(!fs::exists(folder.path() / "elsewhere"));
}

BOOST_AUTO_TEST_CASE(a_second_name_of_another_file_is_refused) {
  fs::create_hard_link(precious, file);
  is_refused(EPERM);
}

BOOST_AUTO_TEST_CASE(a_fifo_is_refused_at_once) {
  BOOST_TEST_REQUIRE(::mkfifo(file.c_str(), 0660) == 0);
  is_refused(EPERM);
}

BOOST_AUTO_TEST_CASE(one_that_everybody_may_write_to_is_refused) {
  write_atomically(file, "", 0666);
  is_refused(EPERM);
}

BOOST_AUTO_TEST_CASE(a_shared_file_of_another_user_is_refused) {
  if (::geteuid() != 0) return;  // only root can make it
  write_atomically(file, "", 0660);
  BOOST_TEST_REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
  is_refused(EPERM);
}

BOOST_AUTO_TEST_CASE(what_is_written_replaces_all) {
  write_shared(file, "a long text");
  write_shared(file, "short");
  BOOST_TEST(read_file(file) == "short");
}

BOOST_AUTO_TEST_CASE(one_that_was_cut_short_is_begun_anew_for_all_who_have_it) {
  const SharedFile::Layout layout{0x7465737400010001, 8192};
  const SharedFile first(file, OpenShared::create, layout, "key");
  auto* const bytes = static_cast<char*>(first.data());
  bytes[8000] = 'x';
  fs::resize_file(file, 100);
  const SharedFile second(file, OpenShared::create, layout, "new");
  BOOST_TEST(fs::file_size(file) == 8192U);
  BOOST_TEST(std::string(bytes + 8, 3) == "new");
  BOOST_TEST(bytes[8000] == '\0');
  bytes[8000] = 'y';
  BOOST_TEST(static_cast<char*>(second.data())[8000] == 'y');
}

BOOST_AUTO_TEST_CASE(one_of_another_layout_is_begun_anew_and_gets_no_shorter) {
  const auto use = [&](OpenShared how, SharedFile::Layout layout) {
    const SharedFile used(file, how, layout);
  };
  use(OpenShared::create, {0x7465737400010002, 16384});
  const SharedFile::Layout layout{0x7465737400010001, 8192};
  BOOST_CHECK_THROW(use(OpenShared::existing, layout), FileError);
  use(OpenShared::create, layout);
  BOOST_TEST(fs::file_size(file) == 16384U);
  use(OpenShared::existing, layout);
}

BOOST_AUTO_TEST_CASE(it_may_be_made_by_several_at_once) {
  for (int round = 0; round < 200; ++round) {
    fs::remove(file);
    std::barrier together(4);
    const auto make = [&] {
      together.arrive_and_wait();
      open_shared(file, OpenShared::create);
    };
    std::vector<std::future<void>> makers(4);
    for (auto& each : makers) each = std::async(std::launch::async, make);
    for (auto& each : makers) BOOST_CHECK_NO_THROW(each.get());
  }
}

BOOST_AUTO_TEST_CASE(who_locks_it_keeps_nobody_from_using_it) {
  const SharedFile::Layout layout{0x7465737400010001, 8192};
  const UniqueFd held = open_shared(file, OpenShared::create);
  BOOST_TEST_REQUIRE(::flock(held.get(), LOCK_EX) == 0);
  const SharedFile first(file, OpenShared::create, layout);
  const SharedFile second(file, OpenShared::create, layout);
  BOOST_TEST(first.data() != second.data());
}

BOOST_AUTO_TEST_CASE(a_shared_file_that_is_something_else_stays) {
  const std::string bytes(8192, 'z');
  write_atomically(file, bytes, 0660);
  BOOST_CHECK_THROW(SharedFile(file, OpenShared::create, {0x7465737400010001, 8192}), FileError);
  BOOST_TEST(read_file(file) == bytes);
}

BOOST_AUTO_TEST_CASE(a_disk_without_room_is_an_error_and_not_the_end_of_who_writes,
                     *boost::unit_test::precondition(goldsmith::may_mount)) {
  const goldsmith::TinyDisk disk(folder.path() / "disk", 64);
  const fs::path on_disk = disk.path() / "shared";
  const SharedFile::Layout layout{0x7465737400010001, 128U << 10};
  const auto is_full = [](const FileError& error) { return error.error_number() == ENOSPC; };
  BOOST_CHECK_EXCEPTION(SharedFile(on_disk, OpenShared::create, layout), FileError, is_full);
  const SharedFile small(on_disk, OpenShared::create, {layout.version, 32U << 10});
  write_atomically(disk.path() / "other", std::string(24U << 10, 'x'));
  static_cast<char*>(small.data())[(32U << 10) - 1] = 'x';
}

BOOST_AUTO_TEST_SUITE_END()
