#include "app/limits/rate_windows.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "app/base/file.hpp"
#include "app/limits/rate_windows.hpp"

namespace goldsmith::limits {
namespace {

struct StateFile {
  base::TempDir folder;
  std::filesystem::path path = folder.path() / "state";
};

constexpr std::int64_t kNoon = 1'800'000'000 / 86'400 * 86'400 + 43'200;

BOOST_AUTO_TEST_SUITE(shared_state)

BOOST_AUTO_TEST_CASE(the_generation_moves_for_everyone_who_maps_the_file) {
  StateFile file;
  SharedState worker(file.path, SharedState::Open::create);
  SharedState command(file.path, SharedState::Open::existing);
  const std::uint64_t before = worker.generation();
  command.bump_generation();
  BOOST_TEST(worker.generation() == before + 1);
}

BOOST_AUTO_TEST_CASE(a_file_without_content_is_missing_until_a_worker_writes_it) {
  StateFile file;
  const auto is_missing = [](const base::FileError& error) {
    return error.error_number() == ENOENT;
  };
  const auto open = [&] { SharedState(file.path, SharedState::Open::existing); };
  BOOST_CHECK_EXCEPTION(open(), base::FileError, is_missing);
  base::write_atomically(file.path, "", 0660);
  BOOST_CHECK_EXCEPTION(open(), base::FileError, is_missing);
  SharedState worker(file.path, SharedState::Open::create);
  worker.bump_generation();
  BOOST_TEST(SharedState(file.path, SharedState::Open::existing).generation() == 1U);
}

BOOST_AUTO_TEST_CASE(a_file_of_another_version_is_refused) {
  StateFile file;
  base::write_atomically(file.path, "something else");
  BOOST_CHECK_THROW(SharedState(file.path, SharedState::Open::create), base::FileError);
  BOOST_TEST(base::read_file(file.path) == "something else");
}

BOOST_AUTO_TEST_CASE(a_limit_grants_exactly_as_many_as_it_says) {
  StateFile file;
  SharedState state(file.path, SharedState::Open::create);
  for (int i = 0; i < 3; ++i) BOOST_TEST(state.take("a", 60, kNoon + 60, 3, kNoon).granted);
  BOOST_TEST(!state.take("a", 60, kNoon + 60, 3, kNoon).granted);
  BOOST_TEST(state.take("b", 60, kNoon + 60, 3, kNoon).granted);
  BOOST_TEST(state.take("a", 3600, kNoon + 3600, 3, kNoon).granted);
  BOOST_TEST(state.used("a", 60, kNoon + 60) == 3);
}

BOOST_AUTO_TEST_CASE(the_next_window_starts_empty) {
  StateFile file;
  SharedState state(file.path, SharedState::Open::create);
  BOOST_TEST(state.take("a", 60, kNoon + 60, 1, kNoon).granted);
  BOOST_TEST(!state.take("a", 60, kNoon + 60, 1, kNoon + 59).granted);
  BOOST_TEST(state.take("a", 60, kNoon + 120, 1, kNoon + 60).granted);
}

BOOST_AUTO_TEST_CASE(who_read_the_clock_before_the_turn_counts_in_the_window_that_others_began) {
  StateFile file;
  SharedState state(file.path, SharedState::Open::create);
  BOOST_TEST(state.take("a", 60, kNoon + 120, 2, kNoon + 60).granted);
  BOOST_TEST(state.take("a", 60, kNoon + 60, 2, kNoon + 59).used == 2);
  BOOST_TEST(!state.take("a", 60, kNoon + 120, 2, kNoon + 60).granted);
  // A clock that was wrong by more locks nobody out.
  BOOST_TEST(state.take("a", 60, kNoon, 2, kNoon - 1).granted);
}

BOOST_AUTO_TEST_CASE(counts_survive_who_made_them) {
  StateFile file;
  {
    SharedState(file.path, SharedState::Open::create).take("a", 60, kNoon + 60, 1, kNoon);
  }
  SharedState later(file.path, SharedState::Open::create);
  BOOST_TEST(!later.take("a", 60, kNoon + 60, 1, kNoon).granted);
}

BOOST_AUTO_TEST_CASE(processes_that_count_at_once_lose_and_grant_nothing_twice) {
  StateFile file;
  SharedState state(file.path, SharedState::Open::create);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      SharedState own(file.path, SharedState::Open::create);
      int granted = 0;
      for (int n = 0; n < 1000; ++n) granted += own.take("a", 60, kNoon + 60, 2500, kNoon).granted;
      // What was granted comes back through a bucket of this child's own.
      for (int n = 0; n < granted; ++n) own.take("granted", 60, kNoon + 60, 100'000, kNoon);
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  BOOST_TEST(state.used("a", 60, kNoon + 60) == 2500);
  BOOST_TEST(state.used("granted", 60, kNoon + 60) == 2500);
}

BOOST_AUTO_TEST_CASE(a_full_table_still_counts_and_expired_buckets_make_room) {
  StateFile file;
  SharedState state(file.path, SharedState::Open::create);
  for (int i = 0; i < 300'000; ++i) {
    state.take("old " + std::to_string(i), 60, kNoon + 60, 5, kNoon);
  }
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(state.take("new", 60, kNoon + 120, 2, kNoon + 61).granted);
  }
  BOOST_TEST(!state.take("new", 60, kNoon + 120, 2, kNoon + 61).granted);
}

// A day of strangers, each with a window of each kind.
BOOST_AUTO_TEST_CASE(a_million_networks_make_nobody_forget_what_is_used_up) {
  constexpr std::int64_t kLimit = 3;
  constexpr int kUsedUp = 1000;
  const std::int64_t midnight = kNoon + 43'200;
  StateFile file;
  SharedState state(file.path, SharedState::Open::create);
  const auto use_up = [&](const std::string& subject, std::int64_t seconds, std::int64_t end) {
    for (int n = 0; n < kLimit; ++n) state.take(subject, seconds, end, kLimit, kNoon);
  };
  use_up("flood", 60, kNoon + 60);
  for (int i = 0; i < kUsedUp; ++i) {
    const std::string number = std::to_string(i);
    use_up("key " + number, 86'400, midnight);
    use_up("address used up " + number, 60, kNoon + 60);
    use_up("address used up " + number, 86'400, midnight);
    use_up("compile address used up " + number, 3600, kNoon + 3600);
  }
  for (int i = 0; i < 1'000'000; ++i) {
    const std::string subject = "address " + std::to_string(i);
    state.take(subject, 60, kNoon + 60, kLimit, kNoon);
    state.take(subject, 86'400, midnight, kLimit, kNoon);
    state.take("compile " + subject, 3600, kNoon + 3600, kLimit, kNoon);
  }
  BOOST_TEST(state.used("flood", 60, kNoon + 60) == kLimit);
  int forgotten = 0;
  for (int i = 0; i < kUsedUp; ++i) {
    const std::string number = std::to_string(i);
    forgotten += state.used("key " + number, 86'400, midnight) != kLimit ? 1 : 0;
    forgotten += state.used("address used up " + number, 60, kNoon + 60) != kLimit ? 1 : 0;
    forgotten += state.used("address used up " + number, 86'400, midnight) != kLimit ? 1 : 0;
    forgotten +=
        state.used("compile address used up " + number, 3600, kNoon + 3600) != kLimit ? 1 : 0;
  }
  BOOST_TEST(forgotten == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rate_windows)

BOOST_AUTO_TEST_CASE(windows_are_aligned_and_say_how_long_they_last) {
  StateFile file;
  SharedState state(file.path, SharedState::Open::create);
  MemoryWindows windows(state);
  const WindowStatus minute = windows.take("a", Window::minute, 10, kNoon + 15);
  BOOST_TEST(minute.seconds_left == 45);
  BOOST_TEST(minute.remaining() == 9);
  BOOST_TEST(windows.take("a", Window::hour, 10, kNoon + 15).seconds_left == 3585);
  BOOST_TEST(windows.take("a", Window::day, 10, kNoon + 15).seconds_left == 43'185);
}

BOOST_AUTO_TEST_CASE(peeking_at_a_window_counts_nothing) {
  StateFile file;
  SharedState state(file.path, SharedState::Open::create);
  MemoryWindows windows(state);
  for (int i = 0; i < 3; ++i) BOOST_TEST(windows.peek("a", Window::minute, 1, kNoon).granted);
  BOOST_TEST(windows.take("a", Window::minute, 1, kNoon).granted);
  BOOST_TEST(!windows.peek("a", Window::minute, 1, kNoon).granted);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace goldsmith::limits
