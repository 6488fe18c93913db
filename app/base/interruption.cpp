#include "app/base/interruption.hpp"

#include <algorithm>
#include <thread>

namespace goldsmith::base {
namespace {

volatile std::sig_atomic_t pending_signal = 0;

void remember(int signal) { pending_signal = signal; }

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
  constexpr std::chrono::nanoseconds kLookEach = std::chrono::milliseconds(100);
  const auto end = std::chrono::steady_clock::now() + duration;
  while (true) {
    check_interruption();
    const std::chrono::nanoseconds left = end - std::chrono::steady_clock::now();
    if (left <= left.zero()) return;
    std::this_thread::sleep_for(std::min(left, kLookEach));
  }
}

}  // namespace goldsmith::base
