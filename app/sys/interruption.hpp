// Long work that Ctrl-C or a `kill` may end in good order: it looks here where it can stop, and
// what it holds is released on the way out.
#pragma once

#include <csignal>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace goldsmith::sys {

// what() = "interrupted".
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

// While one is alive SIGINT, SIGTERM and SIGHUP don't end the process but are remembered; system
// calls that wait end with EINTR. One at a time. A signal that is ignored stays so.
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

// Whether a signal came under a guard.
bool is_interrupted();

// Throws Interrupted when a signal came under a guard.
void check_interruption();

// Throws Interrupted as soon as a signal comes.
void interruptible_sleep(std::chrono::milliseconds duration);

}  // namespace goldsmith::sys
