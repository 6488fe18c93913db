// Root gives up its powers before it works for somebody else.
#include "app/host/account.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"

using namespace goldsmith::base;
using namespace goldsmith::host;

namespace {

namespace fs = std::filesystem;

constexpr uid_t kSomebody = 65534;

// The user of a process that has become the owner of `folder`.
int user_after(const fs::path& folder) {
  const pid_t child = ::fork();
  if (child == 0) {
    become_owner_of(folder);
    const bool is_whole = ::getuid() == ::geteuid() && (::geteuid() == 0 || ::setuid(0) != 0);
    ::_exit(!is_whole ? 3 : ::geteuid() == 0 ? 0 : ::geteuid() == kSomebody ? 1 : 2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(accounts)

BOOST_AUTO_TEST_CASE(only_root_has_something_to_drop) {
  BOOST_TEST(unprivileged_account("no-such-user").has_value() == (::geteuid() == 0));
  if (::geteuid() != 0) return;
  BOOST_TEST(unprivileged_account("no-such-user")->name == "nobody");
  BOOST_TEST(unprivileged_account("root")->name == "nobody");
  BOOST_TEST(unprivileged_account("daemon")->name == "daemon");
}

BOOST_AUTO_TEST_CASE(root_becomes_the_owner_of_a_folder_or_of_the_link_in_its_place) {
  if (::geteuid() != 0) return;
  const TempDir folder;
  const fs::path own = folder.path() / "own";
  const fs::path link = folder.path() / "link";
  BOOST_TEST(user_after(folder.path()) == 0);
  BOOST_TEST(user_after(folder.path() / "missing") == 0);
  fs::create_directory(own);
  fs::create_directory_symlink(folder.path(), link);
  for (const fs::path& each : {own, link}) {
    BOOST_TEST_REQUIRE(::lchown(each.c_str(), kSomebody, kSomebody) == 0);
    BOOST_TEST(user_after(each) == 1);
  }
}

// As a cache on another disk.
BOOST_AUTO_TEST_CASE(a_link_of_root_leads_to_the_owner_of_its_target) {
  if (::geteuid() != 0) return;
  const TempDir folder;
  const fs::path own = folder.path() / "own";
  fs::create_directory(own);
  BOOST_TEST_REQUIRE(::lchown(own.c_str(), kSomebody, kSomebody) == 0);
  fs::create_directory_symlink("own", folder.path() / "link");
  fs::create_directory_symlink(folder.path() / "link", folder.path() / "second");
  BOOST_TEST(user_after(folder.path() / "second") == 1);
  // What another user has linked to root's is not followed.
  fs::create_directory(folder.path() / "roots");
  fs::create_directory_symlink(folder.path() / "roots", folder.path() / "trap");
  BOOST_TEST_REQUIRE(::lchown((folder.path() / "trap").c_str(), kSomebody, kSomebody) == 0);
  fs::create_directory_symlink("trap", folder.path() / "to the trap");
  BOOST_TEST(user_after(folder.path() / "to the trap") == 1);
  fs::create_directory_symlink("circle", folder.path() / "circle");
  BOOST_TEST(user_after(folder.path() / "circle") == 0);
  BOOST_TEST(is_folder_of_another(folder.path() / "second"));
  BOOST_TEST(!is_folder_of_another(folder.path() / "roots"));
  BOOST_TEST(!is_folder_of_another(folder.path() / "circle"));
  BOOST_TEST(!is_folder_of_another(folder.path() / "nothing"));
}

BOOST_AUTO_TEST_SUITE_END()
