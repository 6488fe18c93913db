#include "app/host/shared_file.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <vector>

#include "app/host/process.hpp"

using namespace goldsmith::base;
using namespace goldsmith::host;

namespace {

struct Fixture {
  TempDir folder;
  std::filesystem::path file = folder.path() / "seats";
  HostSemaphore semaphore{file};
};

// Another process that holds a slot until it is killed; the number of its slot is not known here.
class Holder {
 public:
  Holder(const std::filesystem::path& file, std::size_t row, std::size_t count) {
    int ready[2];
    BOOST_TEST_REQUIRE(::pipe(ready) == 0);
    child_ = ::fork();
    if (child_ == 0) {
      HostSemaphore own(file);
      const auto slot = own.try_acquire(row, count);
      const char answer = slot ? 'y' : 'n';
      if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char answer = 0;
    has_slot_ = ::read(ready[0], &answer, 1) == 1 && answer == 'y';
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Holder() { kill(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  bool has_slot() const { return has_slot_; }
  void kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  pid_t child_ = -1;
  bool has_slot_ = false;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(host_semaphore, Fixture)

BOOST_AUTO_TEST_CASE(there_are_as_many_as_are_asked_for) {
  auto first = semaphore.try_acquire(0, 2);
  auto second = semaphore.try_acquire(0, 2);
  BOOST_TEST(first.has_value());
  BOOST_TEST(second.has_value());
  BOOST_TEST(!semaphore.try_acquire(0, 2));
  BOOST_TEST(semaphore.try_acquire(0, 3).has_value());
  BOOST_TEST(!semaphore.try_acquire(0, 0));
}

BOOST_AUTO_TEST_CASE(one_that_is_released_is_free_again) {
  {
    const auto slot = semaphore.try_acquire(0, 1);
    BOOST_TEST(!semaphore.try_acquire(0, 1));
  }
  auto slot = semaphore.try_acquire(0, 1);
  BOOST_TEST(slot.has_value());
  const HostSemaphore::Hold moved = std::move(*slot);
  slot.reset();
  BOOST_TEST(!semaphore.try_acquire(0, 1));
}

BOOST_AUTO_TEST_CASE(rows_do_not_touch_each_other) {
  const auto slot = semaphore.try_acquire(0, 1);
  BOOST_TEST(semaphore.try_acquire(1, 1).has_value());
  std::vector<HostSemaphore::Hold> all;
  while (auto one = semaphore.try_acquire(0, 100'000)) all.push_back(std::move(*one));
  BOOST_TEST(all.size() == HostSemaphore::kMost - 1);
  BOOST_TEST(semaphore.try_acquire(1, 1).has_value());
}

BOOST_AUTO_TEST_CASE(other_processes_take_from_the_same) {
  Holder first(file, 0, 2);
  BOOST_TEST(first.has_slot());
  const auto second = semaphore.try_acquire(0, 2);
  BOOST_TEST(second.has_value());
  BOOST_TEST(!semaphore.try_acquire(0, 2));
  Holder third(file, 0, 2);
  BOOST_TEST(!third.has_slot());
}

BOOST_AUTO_TEST_CASE(a_killed_holder_s_slot_is_free) {
  Holder holder(file, 0, 1);
  BOOST_TEST(!semaphore.try_acquire(0, 1));
  holder.kill();
  BOOST_TEST(semaphore.try_acquire(0, 1).has_value());
}

BOOST_AUTO_TEST_CASE(a_program_that_a_holder_starts_holds_nothing) {
  auto slot = semaphore.try_acquire(0, 1);
  Command command;
  command.arguments = {"/bin/sh", "-c", "setsid sleep 1000000 & echo $!"};
  command.limits.wall_clock = std::chrono::minutes(2);
  const ProcessOutcome outcome = run_process(command);
  slot.reset();
  HostSemaphore others(file);
  BOOST_TEST(others.try_acquire(0, 1).has_value());
  ::kill(std::stoi(outcome.output), SIGKILL);
}

BOOST_AUTO_TEST_CASE(someone_who_opens_and_closes_the_file_frees_nothing) {
  const auto slot = semaphore.try_acquire(0, 1);
  {
    const HostSemaphore visitor(file);
  }
  {
    const UniqueFd reader = open_file(file, O_RDWR);
  }
  BOOST_TEST(!HostSemaphore(file).try_acquire(0, 1));
}

BOOST_AUTO_TEST_CASE(a_file_that_can_not_be_made_is_an_error) {
  BOOST_CHECK_THROW(HostSemaphore(folder.path() / "missing" / "seats"), FileError);
}

BOOST_AUTO_TEST_SUITE_END()
