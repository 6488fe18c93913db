// What a worker waits for: a stop signal, a connection that arrives, the next request on one of the
// connections that it keeps.
#pragma once

#include <signal.h>

#include <chrono>
#include <vector>

#include "app/sys/file.hpp"

namespace goldsmith::fcgi {

// Stop signals (SIGTERM, SIGINT, SIGUSR1) are blocked while this object lives, so they can neither
// interrupt a request nor arrive unnoticed between a check and the wait.
class Events {
 public:
  struct Ready {
    bool stop = false;          // from the first stop signal on
    bool connection = false;    // there was one to accept; another process may have been faster
    std::vector<int> requests;  // kept connections that can be read
    std::vector<int> closed;    // kept connections that the client closed
  };

  // A connection wakes one or a few of the processes that wait at a listening socket, not all
  // (EPOLLEXCLUSIVE). Throws std::runtime_error.
  explicit Events(int listening_fd);
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // Adds a connection that is kept, until it is closed. Throws std::runtime_error.
  void watch(int connection_fd);

  // Returns at the latest after `timeout`, with nothing ready then. The result is valid until the
  // next call.
  const Ready& wait(std::chrono::milliseconds timeout);

 private:
  sigset_t before_{};
  int listening_fd_;
  Ready ready_;
  sys::UniqueFd stop_;
  sys::UniqueFd queue_;
};

}  // namespace goldsmith::fcgi
