// Tells when data that a worker keeps in memory is stale. The three numbers, defined here for all
// of goldsmith:
//   revision    a row of the database. Every change of what the API shows increments it, in the
//               change's own transaction (db/migrations.hpp). Hosts that share a database see each
//               other's changes by it; a worker reads it every two seconds.
//   generation  a counter in the memory that the processes of one host share (SharedState). The
//               operator's command increments it after each change, so that the workers of its host
//               see the change with their next request.
//   epoch       a number of one worker: it grows when the worker sees that generation or revision
//               has changed. Data that was read in an older epoch is stale.
// Download counters move none of them (SharedState::downloads), nor do the verdicts of a check of
// compiles, which are counted beside the revision.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "app/base/clock.hpp"
#include "app/domain/timestamp.hpp"
#include "app/limits/rate_windows.hpp"
#include "db/database.hpp"

namespace goldsmith::limits {

class Freshness {
 public:
  Freshness(const SharedState& state, db::Database& database, const base::Clock& clock)
      : state_(state), database_(database), clock_(clock) {}

  // The current epoch; to be read before the data that it is kept for. Throws db::Error if the
  // revision has to be read again and can't be: stale data is not served indefinitely.
  std::uint64_t epoch();

  // A number that moves when a verdict about a compile changes, as of the last call of epoch().
  std::int64_t verdicts() const { return verdicts_; }

  // True if the tables are older than this program, as of the last call of epoch(): it may ask for
  // what they do not have.
  bool has_older_schema() const;

 private:
  void note_schema(std::int64_t schema);

  const SharedState& state_;
  db::Database& database_;
  const base::Clock& clock_;
  std::uint64_t epoch_ = 0;
  std::uint64_t generation_ = 0;
  std::int64_t revision_ = -1;
  std::int64_t verdicts_ = 0;
  std::int64_t schema_ = 0;  // that was noted
  std::chrono::system_clock::time_point checked_{};
};

// A value that is loaded again when the epoch has changed. Holds no value after a failed load.
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

 private:
  std::uint64_t epoch_ = 0;
  std::optional<T> value_;
};

// Whether this host is drained: /readyz says so, so that fronts send it no new requests; it goes on
// answering those that come. A file `drained` next to the shared state: it survives the workers,
// and a boot removes it (decision O16).
class DrainMark {
 public:
  // `state`: the file of the shared state.
  explicit DrainMark(const std::filesystem::path& state);

  bool is_set() const;
  // Since when; std::nullopt if this host is not drained. A mark that someone else wrote, without a
  // time, counts as set at the beginning of time.
  std::optional<domain::Timestamp> since() const;

  // Both return whether that changed anything. Throw base::FileError.
  bool set(domain::Timestamp now) const;
  bool clear() const;

 private:
  std::filesystem::path file_;
};

}  // namespace goldsmith::limits
