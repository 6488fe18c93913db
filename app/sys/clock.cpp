#include "app/sys/clock.hpp"

namespace goldsmith::sys {

std::chrono::system_clock::time_point SystemClock::now() const {
  return std::chrono::system_clock::now();
}

}  // namespace goldsmith::sys
