// Fixed windows of requests, aligned to the minute, the hour and the UTC day (decision R10).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

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
  bool is_recalled = false;       // from this process's memory: no counter was asked

  std::int64_t remaining() const { return used < limit ? limit - used : 0; }
};

class RateWindows {
 public:
  virtual ~RateWindows() = default;
  // Counts one for `subject` unless `limit` is reached. `now`: seconds since the epoch.
  WindowStatus take(std::string_view subject, Window window, std::int64_t limit, std::int64_t now);
  // What take() would return; counts nothing.
  WindowStatus peek(std::string_view subject, Window window, std::int64_t limit, std::int64_t now);
  // What is known without asking a counter: grants unless the window is known to be exhausted.
  WindowStatus recall(std::string_view subject, Window window, std::int64_t limit,
                      std::int64_t now);

 protected:
  struct Bucket {
    std::string_view subject;
    std::int64_t seconds;  // the window's length
    std::int64_t end;      // and end
    std::int64_t limit;
    std::int64_t now;
  };

 private:
  Bucket bucket_of(std::string_view subject, Window window, std::int64_t limit, std::int64_t now);
  // A refusal, if the bucket is known to have reached its limit.
  std::optional<WindowStatus> exhausted(const Bucket& bucket) const;
  // The time by which the windows begin and end, for a host whose clock says `now`.
  virtual std::int64_t common_time(std::int64_t now) { return now; }
  virtual db::WindowCount count(const Bucket& bucket) = 0;
  virtual std::int64_t used(const Bucket& bucket) = 0;
  // A count that the bucket is known to have reached, if any.
  virtual std::optional<std::int64_t> known(const Bucket&) const { return std::nullopt; }
};

// One host: in shared memory (`limits.backend = memory`).
class MemoryWindows final : public RateWindows {
 public:
  explicit MemoryWindows(SharedState& state) : state_(state) {}

 private:
  db::WindowCount count(const Bucket& bucket) override;
  std::int64_t used(const Bucket& bucket) override;

  SharedState& state_;
};

// Several hosts: in the database (`limits.backend = mysql`). Removes old windows from there, once a
// minute. A host whose clock differs from that of the database's server goes by the latter, so that
// all count in the same windows. A window that was found exhausted is remembered until its end, so
// that further refusals cost no statement. Throws db::Error.
class DatabaseWindows final : public RateWindows {
 public:
  enum class Time { host, database };
  // How many exhausted windows are remembered, at about 150 bytes each.
  static constexpr std::size_t kMostExhausted = 4096;

  explicit DatabaseWindows(db::WindowStore store, Time time = Time::database)
      : store_(store), time_(time) {}

 private:
  std::int64_t common_time(std::int64_t now) override;
  db::WindowCount count(const Bucket& bucket) override;
  std::int64_t used(const Bucket& bucket) override;
  std::optional<std::int64_t> known(const Bucket& bucket) const override;
  void remember(const Bucket& bucket, std::int64_t used);
  void prune(std::int64_t now);

  struct Exhausted {
    std::int64_t end = 0;
    std::int64_t used = 0;  // at least: counts of a window only grow
  };

  db::WindowStore store_;
  Time time_;
  std::int64_t pruned_minute_ = 0;
  std::int64_t compared_minute_ = 0;
  std::int64_t ahead_ = 0;  // of the database's clock, in seconds
  std::unordered_map<std::string, Exhausted> exhausted_;
};

// The windows of the backend that the configuration chooses. `state` and `database` must outlive
// them.
std::unique_ptr<RateWindows> make_windows(sys::LimitsBackend backend, SharedState& state,
                                          db::Database& database);

}  // namespace goldsmith::access
