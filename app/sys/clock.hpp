// Time as a parameter, so that tests can set it.
#pragma once

#include <chrono>
#include <string>

namespace goldsmith::sys {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::system_clock::time_point now() const = 0;
};

class SystemClock final : public Clock {
 public:
  std::chrono::system_clock::time_point now() const override;
};

// `YYYY-MM-DD HH:MM:SS` in UTC, as the API and the database write it.
std::string format_timestamp(std::chrono::system_clock::time_point time);

}  // namespace goldsmith::sys
