// When what a worker keeps in memory is stale: a change on this host moves the shared generation
// counter, a change on another host the database's revision row, which is read every two seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "app/access/shared_state.hpp"
#include "app/sys/clock.hpp"
#include "db/database.hpp"

namespace goldsmith::access {

class Freshness {
 public:
  Freshness(const SharedState& state, db::Database& database, const sys::Clock& clock)
      : state_(state), database_(database), clock_(clock) {}

  // A number that moves when anything may have changed. Ask before reading what is to be kept.
  // Throws db::Error when the revision is due and can't be read: old data is not served for ever.
  std::uint64_t epoch();

 private:
  const SharedState& state_;
  db::Database& database_;
  const sys::Clock& clock_;
  std::uint64_t epoch_ = 0;
  std::uint64_t generation_ = 0;
  std::int64_t revision_ = -1;
  std::chrono::system_clock::time_point checked_{};
};

// A value that is loaded anew when the epoch moved. A failed load keeps nothing.
template <typename T>
class Cached {
 public:
  template <typename Load>
  const T& get(std::uint64_t epoch, Load load) {
    if (!value_ || epoch_ != epoch) {
      value_.reset();
      value_.emplace(load());
      epoch_ = epoch;
    }
    return *value_;
  }

  // What get() returned, to add to. Precondition: get() was called.
  T& edit() { return *value_; }

 private:
  std::uint64_t epoch_ = 0;
  std::optional<T> value_;
};

}  // namespace goldsmith::access
