#include "app/host/turn_queue.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <thread>

using namespace goldsmith::base;
using namespace goldsmith::host;

namespace {

constexpr std::int64_t kFirst = std::int64_t{1} << 51;

struct Queued {
  TempDir folder;
  std::filesystem::path file = folder.path() / "digests";
  TurnQueue queue{file, kFirst};

  // How many places are taken, by others than this descriptor.
  int places() const {
    const UniqueFd fd = open_file(file, O_RDWR);
    int count = 0;
    struct flock range{};
    for (range.l_start = kFirst + 1;; ++range.l_start) {
      range.l_type = F_WRLCK;
      range.l_len = 0;
      range.l_whence = SEEK_SET;
      range.l_pid = 0;
      BOOST_TEST_REQUIRE(::fcntl(fd.get(), F_OFD_GETLK, &range) == 0);
      if (range.l_type == F_UNLCK) return count;
      ++count;
    }
  }
  void await_places(int count) const {
    while (places() != count) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
};

// A process that takes turns, writes its letter in each, and ends; or is ended.
class Taker {
 public:
  Taker(const std::filesystem::path& file, int turns, char letter, int out) : pid_(::fork()) {
    if (pid_ != 0) return;
    TurnQueue own(file, kFirst);
    for (int i = 0; i < turns; ++i) {
      const TurnQueue::Turn turn = own.wait();
      if (::write(out, &letter, 1) != 1) ::_exit(1);
    }
    ::_exit(0);
  }
  ~Taker() { ::waitpid(pid_, nullptr, 0); }
  Taker(const Taker&) = delete;
  Taker& operator=(const Taker&) = delete;

  void kill() const { ::kill(pid_, SIGKILL); }

 private:
  pid_t pid_;
};

std::string read_all(int fd, std::size_t count) {
  std::string text(count, '\0');
  for (std::size_t done = 0; done < count;) {
    const ssize_t got = ::read(fd, text.data() + done, count - done);
    BOOST_TEST_REQUIRE(got > 0);
    done += static_cast<std::size_t>(got);
  }
  return text;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(turn_queues, Queued)

BOOST_AUTO_TEST_CASE(who_wants_many_turns_is_behind_who_came_meanwhile) {
  std::array<int, 2> ends{};
  BOOST_TEST_REQUIRE(::pipe(ends.data()) == 0);
  auto turn = std::optional(queue.wait());
  await_places(1);
  const Taker greedy(file, 3, 'g', ends[1]);
  await_places(2);
  const Taker other(file, 1, 'o', ends[1]);
  await_places(3);
  const Taker third(file, 1, 't', ends[1]);
  await_places(4);
  turn.reset();
  BOOST_TEST(read_all(ends[0], 5) == "gotgg");
}

BOOST_AUTO_TEST_CASE(the_place_of_one_that_is_killed_is_free) {
  std::array<int, 2> ends{};
  BOOST_TEST_REQUIRE(::pipe(ends.data()) == 0);
  auto turn = std::optional(queue.wait());
  {
    const Taker killed(file, 1, 'k', ends[1]);
    await_places(2);
    killed.kill();
  }
  const Taker other(file, 1, 'o', ends[1]);
  turn.reset();
  BOOST_TEST(read_all(ends[0], 1) == "o");
  await_places(0);
}

BOOST_AUTO_TEST_SUITE_END()
