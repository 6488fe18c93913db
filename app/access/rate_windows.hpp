// Fixed windows of requests, aligned to the minute, the hour and the UTC day (decision R10).
#pragma once

#include <cstdint>
#include <string_view>

#include "app/access/shared_state.hpp"
#include "app/sys/config.hpp"
#include "db/window_store.hpp"

namespace goldsmith::access {

enum class Window : std::int64_t { minute = 60, hour = 3600, day = 86'400 };

struct WindowStatus {
  bool granted = false;
  std::int64_t limit = 0;
  std::int64_t used = 0;
  std::int64_t seconds_left = 0;  // to the end of the window, at least 1

  std::int64_t remaining() const { return used < limit ? limit - used : 0; }
};

class RateWindows {
 public:
  virtual ~RateWindows() = default;
  // Counts one for `subject` unless `limit` is reached. `now`: seconds since the epoch.
  WindowStatus take(std::string_view subject, Window window, std::int64_t limit, std::int64_t now);
  // The same without counting.
  WindowStatus peek(std::string_view subject, Window window, std::int64_t limit, std::int64_t now);

 private:
  // The time by which the windows begin and end, for a host whose clock says `now`.
  virtual std::int64_t common_time(std::int64_t now) { return now; }
  virtual SharedState::Count count(std::string_view subject, std::int64_t seconds, std::int64_t end,
                                   std::int64_t limit, std::int64_t now) = 0;
  virtual std::int64_t used(std::string_view subject, std::int64_t seconds, std::int64_t end) = 0;
};

// One host: in shared memory (`limits.backend = memory`).
class MemoryWindows final : public RateWindows {
 public:
  explicit MemoryWindows(SharedState& state) : state_(state) {}

 private:
  SharedState::Count count(std::string_view subject, std::int64_t seconds, std::int64_t end,
                           std::int64_t limit, std::int64_t now) override;
  std::int64_t used(std::string_view subject, std::int64_t seconds, std::int64_t end) override;

  SharedState& state_;
};

// Several hosts: in the database (`limits.backend = mysql`). Removes old windows from there, once a
// minute. A host whose clock differs from that of the database's server goes by the latter, so that
// all count in the same windows. Throws db::Error.
class DatabaseWindows final : public RateWindows {
 public:
  enum class Time { host, database };

  explicit DatabaseWindows(db::WindowStore& store, Time time = Time::database)
      : store_(store), time_(time) {}

 private:
  std::int64_t common_time(std::int64_t now) override;
  SharedState::Count count(std::string_view subject, std::int64_t seconds, std::int64_t end,
                           std::int64_t limit, std::int64_t now) override;
  std::int64_t used(std::string_view subject, std::int64_t seconds, std::int64_t end) override;
  void prune(std::int64_t now);

  db::WindowStore& store_;
  Time time_;
  std::int64_t pruned_minute_ = 0;
  std::int64_t compared_minute_ = 0;
  std::int64_t ahead_ = 0;  // of the database's clock, in seconds
};

// Those that the configuration chooses.
class ConfiguredWindows {
 public:
  ConfiguredWindows(sys::LimitsBackend backend, SharedState& state, db::Database& database)
      : backend_(backend), store_(database), memory_(state) {}

  RateWindows& chosen() {
    if (backend_ == sys::LimitsBackend::mysql) return shared_;
    return memory_;
  }

 private:
  sys::LimitsBackend backend_;
  db::WindowStore store_;
  MemoryWindows memory_;
  DatabaseWindows shared_{store_};
};

}  // namespace goldsmith::access
