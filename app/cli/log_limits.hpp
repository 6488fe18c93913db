// How long the download log is kept (decision O4).
#pragma once

#include "app/domain/timestamp.hpp"
#include "app/sys/config.hpp"
#include "db/log_pruning.hpp"

namespace goldsmith::cli {

// What is too old at `now`. A period of 0 days means that nothing is.
db::LogLimits log_limits(const sys::LogConfig& config, domain::Timestamp now);

}  // namespace goldsmith::cli
