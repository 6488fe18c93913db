#include "app/cli/log_limits.hpp"

#include <chrono>
#include <optional>

namespace goldsmith::cli {

db::LogLimits log_limits(const sys::LogConfig& config, domain::Timestamp now) {
  const auto before = [&](std::chrono::days period) {
    return period.count() == 0 ? std::nullopt : std::optional(now - period);
  };
  return {before(config.retention), before(config.addresses)};
}

}  // namespace goldsmith::cli
