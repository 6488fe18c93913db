// What systemd is told of a worker (sd_notify(3)). Does nothing where NOTIFY_SOCKET is not set.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace goldsmith::worker {

class ServiceManager {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // To be called between requests. The first call says READY, later ones keep the watchdog quiet,
  // at most once a second: PID 1 reads each message, and thousands a second would slow all workers.
  void alive(std::uint64_t requests_served, Time now);
  void stopping();

 private:
  std::optional<Time> told_;
};

}  // namespace goldsmith::worker
