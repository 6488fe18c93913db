#include "app/archive/archive_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <ctime>
#include <stdexcept>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "test/support/tiny_disk.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace {

using namespace test;
namespace fs = std::filesystem;
using domain::Permit;

const std::string kHash = "0123456789abcdef" + std::string(48, '7');

Permit::Answer yes() { return std::nullopt; }
Permit::Answer never() { throw std::logic_error("may_build was asked"); }

struct Fixture {
  Fixture() {
    fs::create_directory(root);
    write_depot_zip(depot, {{"a.txt", compressible(5'000)}, {"b", incompressible(900'000)}});
  }

  Recipe recipe() const { return {kHash, {{depot, {"a.txt", "b"}}}, {{"c", "inline"}}}; }
  bool folder_is_empty() const { return fs::is_empty(root); }

  base::TempDir folder;
  fs::path root = folder.path() / "archives";
  fs::path depot = folder.path() / "depot.zip";
  ArchiveCache cache{root};
  fs::path part = root / (kHash + ".zip.part");
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(the_archive_cache, Fixture)

BOOST_AUTO_TEST_CASE(an_archive_is_built_once_and_found_from_then_on) {
  BOOST_TEST(!cache.acquire(kHash));
  BOOST_TEST(is_built(cache.build(recipe(), yes)));
  BOOST_TEST(is_cached(cache.build(recipe(), never)));
  BOOST_TEST(cache.acquire(kHash).value().bytes == fs::file_size(cache.file_of(kHash)));
  check_with_other_readers(cache.file_of(kHash));
  BOOST_TEST(!fs::exists(part));
}

BOOST_AUTO_TEST_CASE(a_rebuilt_archive_has_the_same_bytes_mode_and_time) {
  struct stat first{};
  struct stat second{};
  ::umask(077);
  cache.build(recipe(), yes);
  ::umask(022);
  const std::string bytes = base::read_file(cache.file_of(kHash));
  BOOST_TEST_REQUIRE(::stat(cache.file_of(kHash).c_str(), &first) == 0);
  fs::remove(cache.file_of(kHash));
  cache.build(recipe(), yes);
  BOOST_TEST_REQUIRE(::stat(cache.file_of(kHash).c_str(), &second) == 0);
  BOOST_TEST((base::read_file(cache.file_of(kHash)) == bytes));
  BOOST_TEST(first.st_mtime == modification_time(kHash));
  BOOST_TEST(second.st_mtime == modification_time(kHash));
  BOOST_TEST(second.st_mtim.tv_nsec == 0);
  BOOST_TEST((first.st_mode & 07777) == 0644U);
  BOOST_TEST((second.st_mode & 07777) == 0644U);
}

BOOST_AUTO_TEST_CASE(the_modification_time_follows_from_the_hash_and_is_in_the_past) {
  BOOST_TEST(modification_time(std::string(64, '0')) == 1'000'000'000);
  BOOST_TEST(modification_time("0000010" + std::string(57, 'f')) == 1'000'000'016);
  BOOST_TEST(modification_time(std::string(64, 'f')) == 1'000'000'000 + 0xFFF'FFFF);
  BOOST_TEST(modification_time(std::string(64, 'f')) < std::time(nullptr));
  BOOST_CHECK_THROW(modification_time("abc"), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(what_is_no_build_hash_names_no_file) {
  for (const std::string& wrong :
       {std::string(), std::string("../../etc/passwd"), std::string(63, 'a'), std::string(65, 'a'),
        std::string(64, 'A'), std::string(63, 'a') + "/"}) {
    BOOST_CHECK_THROW(cache.file_of(wrong), std::invalid_argument);
    BOOST_CHECK_THROW(cache.acquire(wrong), std::invalid_argument);
  }
}

BOOST_AUTO_TEST_CASE(a_refused_build_leaves_nothing_and_may_be_tried_again) {
  int asked = 0;
  const domain::RateLimited refusal{domain::Limit::builds, std::chrono::seconds(600)};
  const auto no = [&] {
    ++asked;
    return Permit::Answer(refusal);
  };
  BOOST_TEST(is_refused([&] { return cache.build(recipe(), no); }, refusal));
  BOOST_TEST(asked == 1);
  BOOST_TEST(folder_is_empty());
  BOOST_TEST(is_built(cache.build(recipe(), yes)));
}

BOOST_AUTO_TEST_CASE(a_budget_that_can_not_be_asked_leaves_nothing) {
  BOOST_CHECK_THROW(cache.build(recipe(), never), std::logic_error);
  BOOST_TEST(folder_is_empty());
}

BOOST_AUTO_TEST_CASE(a_failed_build_leaves_nothing_and_may_be_tried_again) {
  Recipe wrong = recipe();
  wrong.depot_files[0].paths.push_back("missing");
  BOOST_CHECK_THROW(cache.build(wrong, yes), ZipError);
  BOOST_TEST(folder_is_empty());
  BOOST_TEST(is_built(cache.build(recipe(), yes)));
}

BOOST_AUTO_TEST_CASE(a_missing_folder_is_not_available_and_a_build_says_so) {
  BOOST_TEST(cache.available());
  fs::remove(root);
  BOOST_TEST(!cache.available());
  BOOST_CHECK_THROW(cache.build(recipe(), yes), base::FileError);
  base::write_atomically(root, "no folder");
  BOOST_TEST(!cache.available());
}

BOOST_AUTO_TEST_CASE(many_processes_share_one_build) {
  const fs::path asked = folder.path() / "asked";
  const auto note_and_build = [&] {
    const base::UniqueFd log = base::open_file(asked, O_WRONLY | O_CREAT | O_APPEND);
    base::write_all(log.get(), "x", asked);
    return Permit::Answer();
  };
  for (int round = 0; round < 20; ++round) {
    fs::remove(cache.file_of(kHash));
    fs::remove(asked);
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
      children.push_back(in_child([&] {
        const Acquired outcome = cache.build(recipe(), note_and_build);
        ZipReader(cache.file_of(kHash)).verify();
        return is_built(outcome) ? 1 : 0;
      }));
    }
    int built = 0;
    for (const pid_t child : children) {
      const int code = exit_code(child);
      BOOST_TEST(code <= 1);
      built += code;
    }
    BOOST_TEST(built == 1);
    BOOST_TEST(fs::file_size(asked) == 1U);
    BOOST_TEST(!fs::exists(part));
  }
}

// As a folder of the depot that only root enters: the host lacks the version, whoever looks.
BOOST_AUTO_TEST_CASE(a_depot_file_that_this_process_may_not_read_is_missing) {
  if (::geteuid() != 0) return;
  const pid_t child = in_child([&] {
    Recipe mine = recipe();
    fs::permissions(mine.depot_files[0].zip, fs::perms(0600));
    for (const fs::path& each : {folder.path(), root}) fs::permissions(each, fs::perms(0777));
    constexpr uid_t kSomebody = 65534;
    if (::setuid(kSomebody) != 0) return 3;
    try {
      cache.build(mine, yes);
      return 2;
    } catch (const MissingDepotFile& error) {
      return std::string_view(error.what()).find("this process may not read it") ==
                     std::string_view::npos
                 ? 1
                 : 0;
    }
  });
  BOOST_TEST(exit_code(child) == 0);
}

BOOST_AUTO_TEST_CASE(when_the_builder_fails_the_next_that_waits_builds) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(in_child([&] {
      Recipe mine = recipe();
      if (i % 2 == 0) mine.depot_files[0].zip = folder.path() / "missing.zip";
      try {
        return is_built(cache.build(mine, yes)) ? 1 : 0;
      } catch (const MissingDepotFile&) {
        return 2;
      }
    }));
  }
  int built = 0;
  for (const pid_t child : children) {
    const int code = exit_code(child);
    BOOST_TEST(code <= 2);
    built += code == 1 ? 1 : 0;
  }
  BOOST_TEST(built == 1);
  ZipReader(cache.file_of(kHash)).verify();
  BOOST_TEST(!fs::exists(part));
}

BOOST_AUTO_TEST_CASE(what_a_killed_builder_left_is_taken_over) {
  const pid_t child = in_child([&] {
    cache.build(recipe(), [&] {
      base::write_atomically(folder.path() / "started", "");
      ::raise(SIGKILL);
      return Permit::Answer();
    });
    return 0;
  });
  BOOST_TEST(exit_code(child) == 128 + SIGKILL);
  BOOST_TEST(fs::exists(part));
  base::write_all(create(part).get(), incompressible(2'000'000), part);  // as if it had got further
  BOOST_TEST(is_built(cache.build(recipe(), yes)));
  ZipReader(cache.file_of(kHash)).verify();
  BOOST_TEST(!fs::exists(part));
}

BOOST_AUTO_TEST_CASE(a_waiting_caller_finds_the_archive_that_another_finished) {
  int ready[2];
  BOOST_TEST_REQUIRE(::pipe(ready) == 0);
  const pid_t builder = in_child([&] {
    const auto tell_and_wait = [&]() -> Permit::Answer {
      if (::write(ready[1], "x", 1) != 1) ::_exit(98);
      // Builds only once the other process waits for the lock, which /proc/locks shows as "->".
      for (;;) {
        const std::string locks = run({"/bin/cat", "/proc/locks"});
        struct stat status{};
        if (::stat(part.c_str(), &status) != 0) ::_exit(97);
        const std::string inode = ":" + std::to_string(status.st_ino) + " ";
        for (std::size_t at = 0; (at = locks.find("-> FLOCK", at)) != std::string::npos; ++at) {
          if (contains(locks.substr(at, locks.find('\n', at) - at), inode)) return std::nullopt;
        }
      }
    };
    return is_built(cache.build(recipe(), tell_and_wait)) ? 0 : 1;
  });
  char byte = 0;
  BOOST_TEST_REQUIRE(::read(ready[0], &byte, 1) == 1);
  BOOST_TEST(is_cached(cache.build(recipe(), never)));
  BOOST_TEST(exit_code(builder) == 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

BOOST_AUTO_TEST_CASE(a_link_in_place_of_the_part_is_not_followed) {
  const fs::path victim = folder.path() / "victim";
  base::write_atomically(victim, "precious");
  fs::create_symlink(victim, part);
  BOOST_CHECK_THROW(cache.build(recipe(), yes), base::FileError);
  BOOST_TEST(base::read_file(victim) == "precious");
}

BOOST_AUTO_TEST_CASE(a_full_disk_has_no_room_and_nothing_is_left_on_it,
                     *boost::unit_test::precondition(may_mount)) {
  const fs::path place = folder.path() / "tiny";
  const TinyDisk disk(place);
  BOOST_TEST_REQUIRE(disk.mounted());
  const ArchiveCache full(place);
  const domain::Failure no_room = failure_of([&] { return full.build(recipe(), never); });
  BOOST_TEST(contains(no_room.cause, "free on its disk"), no_room.cause);
  BOOST_TEST(fs::is_empty(place));
  const Recipe small{kHash, {{depot, {"a.txt"}}}, {}};
  BOOST_TEST(is_built(full.build(small, yes)));
}

BOOST_AUTO_TEST_CASE(a_file_size_limit_is_an_error_that_leaves_nothing) {
  const pid_t child = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300'000, 300'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 96;
    try {
      cache.build(recipe(), yes);
    } catch (const base::FileError& error) {
      return error.error_number() == EFBIG && folder_is_empty() ? 0 : 1;
    }
    return 2;
  });
  BOOST_TEST(exit_code(child) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive
