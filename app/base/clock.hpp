// Time as a parameter, so that tests can set it.
#pragma once

#include <chrono>
#include <cstdint>

namespace goldsmith::base {

// Whole seconds since the epoch.
inline std::int64_t unix_seconds(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::system_clock::time_point now() const = 0;
  // now() without the fraction of a second.
  std::chrono::sys_seconds seconds() const {
    return std::chrono::floor<std::chrono::seconds>(now());
  }
  // For durations: it goes on evenly while somebody sets the time. Here it is now(), for tests.
  virtual std::chrono::steady_clock::time_point steady() const {
    return std::chrono::steady_clock::time_point(now().time_since_epoch());
  }
};

class SystemClock final : public Clock {
 public:
  std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::now();
  }
  std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::now();
  }
};

}  // namespace goldsmith::base
