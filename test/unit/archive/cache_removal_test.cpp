// Archives are removed while others hand them out, open and build them.
#include "app/archive/cache_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace removing_archives {
namespace {

using namespace test;
namespace fs = std::filesystem;
using std::chrono::seconds;

const std::string kHash(64, '7');
constexpr seconds kMinute{60};

domain::Permit::Answer yes() { return std::nullopt; }

struct Fixture {
  Fixture() { fs::create_directory(root); }

  Acquired build() const { return cache.build({kHash, {}, {{"run", "#!/bin/sh\n"}}}, yes); }
  void age() const { set_last_use(file, std::chrono::hours(1)); }

  base::TempDir folder;
  fs::path root = folder.path() / "archives";
  ArchiveCache cache{root};
  fs::path file = root / (kHash + ".zip");
  fs::path part = root / (kHash + ".zip.part");
  std::vector<seconds> waits;
  CacheRemoval removal{kMinute, [this](seconds time) { waits.push_back(time); }};
};

}  // namespace
}  // namespace removing_archives

BOOST_FIXTURE_TEST_SUITE(removing_archives, Fixture)

BOOST_AUTO_TEST_CASE(one_that_nobody_used_lately_is_removed_at_once) {
  build();
  age();
  const std::uint64_t bytes = fs::file_size(file);
  removal.remove(file);
  BOOST_TEST(!fs::exists(file));
  const Removed removed = removal.finish();
  BOOST_TEST(removed.files == 1U);
  BOOST_TEST(removed.bytes == bytes);
  BOOST_TEST(waits.empty());
}

BOOST_AUTO_TEST_CASE(one_that_was_just_handed_out_can_be_opened_until_the_removal_is_finished) {
  build();
  age();
  BOOST_TEST(cache.acquire(kHash).has_value());
  removal.remove(file);
  BOOST_TEST(waits.empty());
  ZipReader(file).verify();
  BOOST_TEST(!cache.acquire(kHash));  // but nobody else is told its name
  BOOST_TEST(removal.finish().files == 1U);
  BOOST_TEST((waits == std::vector<seconds>{kMinute}));
  BOOST_TEST(!fs::exists(file));
}

BOOST_AUTO_TEST_CASE(one_that_was_just_built_counts_as_handed_out) {
  build();
  removal.remove(file);
  BOOST_TEST(fs::exists(file));
}

BOOST_AUTO_TEST_CASE(a_retired_archive_that_is_asked_for_is_built_anew_and_stays) {
  build();
  struct stat before{};
  BOOST_TEST_REQUIRE(::stat(file.c_str(), &before) == 0);
  removal.remove(file);
  BOOST_TEST(is_built(build()));
  BOOST_TEST(is_cached(build()));
  BOOST_TEST(removal.finish().files == 0U);
  BOOST_TEST(cache.acquire(kHash).has_value());
  struct stat after{};
  BOOST_TEST_REQUIRE(::stat(file.c_str(), &after) == 0);
  BOOST_TEST(after.st_ino != before.st_ino);
  BOOST_TEST(after.st_mtime == before.st_mtime);  // nginx's tag stays the same
  BOOST_TEST((after.st_mode & 07777) == 0644U);
}

BOOST_AUTO_TEST_CASE(reading_an_archive_to_verify_it_is_no_use_of_it) {
  build();
  age();
  verify_archive(file);
  removal.remove(file);
  BOOST_TEST(!fs::exists(file));
}

BOOST_AUTO_TEST_CASE(a_use_that_lies_in_the_future_counts_as_one_of_now) {
  build();
  const timespec times[] = {{std::time(nullptr) + 86'400, 0}, {0, UTIME_OMIT}};
  BOOST_TEST_REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  removal.remove(file);
  BOOST_TEST(fs::exists(file));
  removal.finish();
  BOOST_TEST(!fs::exists(file));
}

BOOST_AUTO_TEST_CASE(what_is_gone_already_is_no_error) {
  removal.remove(file);
  build();
  removal.remove(file);
  fs::remove(file);
  BOOST_TEST(removal.finish().files == 0U);
}

BOOST_AUTO_TEST_CASE(an_archive_that_is_being_published_is_left_alone) {
  cache.build({kHash, {}, {{"run", "x"}}}, [&] {
    // The builder holds the lock from here until it has handed the archive out.
    BOOST_TEST(!removal.remove_abandoned(part));
    fs::create_hard_link(part, file);
    BOOST_TEST(!removal.remove(file));
    BOOST_TEST(fs::exists(file));
    fs::remove(file);
    return domain::Permit::Answer();
  });
  BOOST_TEST(cache.acquire(kHash).has_value());
}

BOOST_AUTO_TEST_CASE(what_a_killed_builder_left_is_removed) {
  base::write_atomically(part, "half an archive");
  BOOST_TEST(removal.remove_abandoned(part));
  BOOST_TEST(!fs::exists(part));
  BOOST_TEST(!removal.remove_abandoned(part));
}

// Each of the children asks for the archive and opens it at once, as nginx would, while it is
// retired again and again: every time it has to be there, and whole.
BOOST_AUTO_TEST_CASE(no_one_who_was_told_the_name_finds_the_archive_gone) {
  const auto ask_and_open = [&] {
    for (int round = 0; round < 300; ++round) {
      build();
      ZipReader(file).verify();
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(in_child(ask_and_open));
  int codes = 0;
  while (!children.empty()) {
    removal.remove(file);
    siginfo_t ended{};
    BOOST_TEST_REQUIRE(::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0);
    if (ended.si_pid == 0) continue;
    codes += exit_code(ended.si_pid);
    std::erase(children, ended.si_pid);
  }
  BOOST_TEST(codes == 0);
  BOOST_TEST(!fs::exists(part));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive
