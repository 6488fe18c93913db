// Files that several users share: nobody can lead a process to another file.
#include "app/sys/shared_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>

#include "app/sys/host_semaphore.hpp"

using namespace goldsmith::sys;

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

BOOST_AUTO_TEST_CASE(one_of_another_user_is_refused) {
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

BOOST_AUTO_TEST_SUITE_END()
