#include "app/sys/interruption.hpp"

#include <poll.h>

#include <ctime>

namespace goldsmith::sys {
namespace {

volatile std::sig_atomic_t pending_signal = 0;

void remember(int signal) { pending_signal = signal; }

timespec to_timespec(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((duration - seconds).count())};
}

// The signals stay blocked between the check and the wait, so that none is missed.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

}  // namespace

InterruptionGuard::InterruptionGuard() {
  pending_signal = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Replaced replaced{signal, {}};
    ::sigaction(signal, nullptr, &replaced.old);
    if (replaced.old.sa_handler == SIG_IGN) continue;  // as under nohup(1)
    struct sigaction action{};
    action.sa_handler = remember;
    ::sigaction(signal, &action, nullptr);
    replaced_.push_back(replaced);
  }
}

InterruptionGuard::~InterruptionGuard() {
  for (const Replaced& replaced : replaced_) ::sigaction(replaced.signal, &replaced.old, nullptr);
  pending_signal = 0;
}

bool is_interrupted() { return pending_signal != 0; }

void check_interruption() {
  if (is_interrupted()) throw Interrupted(pending_signal);
}

void interruptible_sleep(std::chrono::milliseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (true) {
    const BlockedSignals blocked;
    check_interruption();
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= left.zero()) return;
    const timespec time = to_timespec(left);
    ::ppoll(nullptr, 0, &time, &blocked.before());
  }
}

}  // namespace goldsmith::sys
