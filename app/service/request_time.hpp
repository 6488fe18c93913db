// How long the request at hand may take (decision R20). What takes seconds asks before each step;
// what was done until then is kept, so that the same request continues there.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "app/domain/permit.hpp"
#include "app/sys/clock.hpp"

namespace goldsmith::service {

class RequestTime {
 public:
  // Less than nginx waits for an answer (600 s) and systemd for a sign of life (WatchdogSec).
  static constexpr std::chrono::seconds kLongest{570};

  explicit RequestTime(const sys::Clock& clock) : clock_(clock) {}

  // A request begins. Without one, as in the operator's command, time is not limited.
  void begin() { end_ = clock_.steady() + kLongest; }

  std::chrono::milliseconds left() const {
    if (!end_) return std::chrono::milliseconds::max();
    const auto rest =
        std::chrono::duration_cast<std::chrono::milliseconds>(*end_ - clock_.steady());
    return std::max(rest, std::chrono::milliseconds(0));
  }

  // The refusal of a step that may take as long as that; std::nullopt if there is enough time.
  std::optional<domain::RateLimited> refusal(std::chrono::milliseconds needed) const {
    constexpr std::chrono::seconds kRetry{1};
    if (left() >= needed) return std::nullopt;
    return domain::RateLimited{domain::Limit::request_time, kRetry};
  }

 private:
  const sys::Clock& clock_;
  std::optional<std::chrono::steady_clock::time_point> end_;
};

}  // namespace goldsmith::service
