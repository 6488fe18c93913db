#include "app/base/interruption.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>

using namespace goldsmith::base;

namespace {

// What ends here is the test program, unless the signal is caught.
void raise_signal(int signal) { BOOST_TEST_REQUIRE(::raise(signal) == 0); }

void (*handler_of(int signal))(int) {
  struct sigaction action{};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

struct IsSignal {
  int signal;
  bool operator()(const Interrupted& interrupted) const { return interrupted.signal() == signal; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(interruption)

BOOST_AUTO_TEST_CASE(a_signal_under_a_guard_is_remembered) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const InterruptionGuard guard;
    BOOST_CHECK_NO_THROW(check_interruption());
    raise_signal(signal);
    BOOST_TEST(is_interrupted());
    BOOST_CHECK_EXCEPTION(check_interruption(), Interrupted, IsSignal{signal});
  }
  BOOST_TEST(!is_interrupted());
}

BOOST_AUTO_TEST_CASE(a_guard_puts_everything_back) {
  const auto before = handler_of(SIGTERM);
  {
    const InterruptionGuard guard;
    BOOST_TEST((handler_of(SIGTERM) != before));
  }
  BOOST_TEST((handler_of(SIGTERM) == before));
}

BOOST_AUTO_TEST_CASE(a_signal_that_is_ignored_stays_ignored) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  {
    const InterruptionGuard guard;
    raise_signal(SIGHUP);
    BOOST_TEST(!is_interrupted());
  }
  BOOST_TEST((::signal(SIGHUP, before) == SIG_IGN));
}

BOOST_AUTO_TEST_CASE(a_sleep_ends_with_its_time_or_with_a_signal) {
  const InterruptionGuard guard;
  const auto before = std::chrono::steady_clock::now();
  interruptible_sleep(std::chrono::milliseconds(20));
  BOOST_TEST((std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(20)));
  interruptible_sleep(std::chrono::milliseconds(-1));

  // Before the sleep or in it: it never lasts its hour.
  const ::pthread_t sleeper = ::pthread_self();
  std::thread other([sleeper] { ::pthread_kill(sleeper, SIGINT); });
  BOOST_CHECK_EXCEPTION(interruptible_sleep(std::chrono::hours(1)), Interrupted, IsSignal{SIGINT});
  other.join();
}

BOOST_AUTO_TEST_SUITE_END()
