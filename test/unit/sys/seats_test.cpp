#include "app/sys/seats.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <vector>

#include "app/sys/process.hpp"

using namespace goldsmith::sys;

namespace {

struct Fixture {
  TempDir folder;
  std::filesystem::path file = folder.path() / "seats";
  Seats seats{file};
};

// Another process that holds a seat until it is killed; the number of its seat is not known here.
class Holder {
 public:
  Holder(const std::filesystem::path& file, std::size_t row, std::size_t count) {
    int ready[2];
    BOOST_TEST_REQUIRE(::pipe(ready) == 0);
    child_ = ::fork();
    if (child_ == 0) {
      Seats own(file);
      const auto seat = own.take(row, count);
      const char answer = seat ? 'y' : 'n';
      if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char answer = 0;
    has_seat_ = ::read(ready[0], &answer, 1) == 1 && answer == 'y';
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Holder() { kill(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  bool has_seat() const { return has_seat_; }
  void kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  pid_t child_ = -1;
  bool has_seat_ = false;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(seats_of_a_host, Fixture)

BOOST_AUTO_TEST_CASE(there_are_as_many_as_are_asked_for) {
  auto first = seats.take(0, 2);
  auto second = seats.take(0, 2);
  BOOST_TEST(first.has_value());
  BOOST_TEST(second.has_value());
  BOOST_TEST(!seats.take(0, 2));
  BOOST_TEST(seats.take(0, 3).has_value());
  BOOST_TEST(!seats.take(0, 0));
}

BOOST_AUTO_TEST_CASE(one_that_is_given_back_is_free_again) {
  {
    const auto seat = seats.take(0, 1);
    BOOST_TEST(!seats.take(0, 1));
  }
  auto seat = seats.take(0, 1);
  BOOST_TEST(seat.has_value());
  const Seats::Seat moved = std::move(*seat);
  seat.reset();
  BOOST_TEST(!seats.take(0, 1));
}

BOOST_AUTO_TEST_CASE(rows_do_not_touch_each_other) {
  const auto seat = seats.take(0, 1);
  BOOST_TEST(seats.take(1, 1).has_value());
  std::vector<Seats::Seat> all;
  while (auto one = seats.take(0, 100'000)) all.push_back(std::move(*one));
  BOOST_TEST(all.size() == Seats::kMost - 1);
  BOOST_TEST(seats.take(1, 1).has_value());
}

BOOST_AUTO_TEST_CASE(other_processes_take_from_the_same) {
  Holder first(file, 0, 2);
  BOOST_TEST(first.has_seat());
  const auto second = seats.take(0, 2);
  BOOST_TEST(second.has_value());
  BOOST_TEST(!seats.take(0, 2));
  Holder third(file, 0, 2);
  BOOST_TEST(!third.has_seat());
}

BOOST_AUTO_TEST_CASE(a_killed_holder_s_seat_is_free) {
  Holder holder(file, 0, 1);
  BOOST_TEST(!seats.take(0, 1));
  holder.kill();
  BOOST_TEST(seats.take(0, 1).has_value());
}

BOOST_AUTO_TEST_CASE(a_program_that_a_holder_starts_holds_nothing) {
  auto seat = seats.take(0, 1);
  Command command;
  command.arguments = {"/bin/sh", "-c", "setsid sleep 1000000 & echo $!"};
  command.limits.wall_clock = std::chrono::minutes(2);
  const ProcessOutcome outcome = run_process(command);
  seat.reset();
  Seats others(file);
  BOOST_TEST(others.take(0, 1).has_value());
  ::kill(std::stoi(outcome.output), SIGKILL);
}

BOOST_AUTO_TEST_CASE(someone_who_opens_and_closes_the_file_frees_nothing) {
  const auto seat = seats.take(0, 1);
  { const Seats visitor(file); }
  { const UniqueFd reader = open_file(file, O_RDWR); }
  BOOST_TEST(!Seats(file).take(0, 1));
}

BOOST_AUTO_TEST_CASE(a_file_that_can_not_be_made_is_an_error) {
  BOOST_CHECK_THROW(Seats(folder.path() / "missing" / "seats"), FileError);
}

BOOST_AUTO_TEST_SUITE_END()
