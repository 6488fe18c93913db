// Keeps the download log to what the operator wants to keep (decision O4). Counters stay. Functions
// throw db::Error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/domain/timestamp.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// Absent = nothing is too old.
struct LogLimits {
  std::optional<domain::Timestamp> rows_before;  // older rows are removed
  std::optional<domain::Timestamp>
      addresses_before;  // in older ones the caller's address is blanked
};

// What is too old at `now`. A period of 0 days means that nothing is.
LogLimits log_limits(const sys::LogConfig& config, domain::Timestamp now);

struct LogCounts {
  std::int64_t rows = 0;
  std::int64_t addresses = 0;
};

// Works from the oldest on, about a thousand rows a transaction, so that no download waits; what is
// interrupted is continued by the next call. `progress` hears what is done so far.
LogCounts prune_log(Database& database, const LogLimits& limits,
                    const std::function<void(const LogCounts&)>& progress);

// What prune_log would do. Reads everything that is too old.
LogCounts count_prunable(Database& database, const LogLimits& limits);

// Whether it would do anything; a few rows are read.
bool is_prunable(Database& database, const LogLimits& limits);

}  // namespace goldsmith::db
