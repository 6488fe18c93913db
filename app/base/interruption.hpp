// Long work that Ctrl-C or `kill` may interrupt: it checks here at points where it can stop, and
// releases what it holds while the exception unwinds.
#pragma once

#include <csignal>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace goldsmith::base {

// what() = "interrupted".
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

// As long as one exists, SIGINT, SIGTERM and SIGHUP don't end the process but are recorded, and
// blocking system calls end with EINTR. Ignored signals stay ignored. At most one at a time.
class InterruptionGuard {
 public:
  InterruptionGuard();
  ~InterruptionGuard();
  InterruptionGuard(const InterruptionGuard&) = delete;
  InterruptionGuard& operator=(const InterruptionGuard&) = delete;

 private:
  struct Replaced {
    int signal;
    struct sigaction old;
  };
  std::vector<Replaced> replaced_;
};

// True if a signal arrived under a guard.
bool is_interrupted();

// Throws Interrupted if a signal arrived under a guard.
void check_interruption();

// Throws Interrupted within a tenth of a second after a signal, whichever thread received it.
void interruptible_sleep(std::chrono::milliseconds duration);

}  // namespace goldsmith::base
