// Downloads of plugins and builds of servers: the log, the counters (decision P7), and what is
// pruned of them. Functions throw db::Error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/timestamp.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// The log of plugin downloads and the counters (decision P7). Functions throw db::Error.
struct DownloadRecord {
  domain::Timestamp time{};
  std::string slug;
  std::string version;
  std::string kind;
  std::string toolchain;  // "" when nothing was compiled
  std::string caller;     // IP address
  std::string result;     // "ok" or the error code
  std::int64_t compile_milliseconds = 0;
  // 32 characters, the same if the request is sent again (decision O18); "" = it never is.
  std::string request = {};
};

class DownloadLog {
 public:
  explicit DownloadLog(Database& database) : database_(database) {}

  // One row, and for result "ok" one more on plugin_counters; both or neither. Nothing if `request`
  // was recorded with the same result within half an hour. Without a `request`, Error{unavailable}
  // leaves open whether the row was written, if the connection was lost during the commit.
  void record(const DownloadRecord& record);
  // Forgets requests that are older; a thousand at most, so that no call takes long.
  void forget_requests();
  // Newest first, at most `limit`; those from `since` on.
  std::vector<DownloadRecord> list(const std::optional<domain::Timestamp>& since,
                                   std::int64_t limit);

 private:
  // Inside a transaction: notes it, unless it is there.
  bool is_new(const std::string& request, const std::string& result);

  Database& database_;
};

// Keeps the download log to what the operator wants to keep (decision O4). Counters stay. Functions
// throw db::Error.

// Absent = nothing is too old.
struct LogLimits {
  std::optional<domain::Timestamp> rows_before;  // older rows are removed
  std::optional<domain::Timestamp>
      addresses_before;  // in older ones the caller's address is blanked
};

// What is too old at `now`. A period of 0 days means that nothing is.
LogLimits log_limits(const base::LogConfig& config, domain::Timestamp now);

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

// The server archives that were built: what is known of each build hash. Functions throw db::Error.

// What the engine of an archive said when it was started (S29).
struct BuildStart {
  std::string outcome;  // "started", "faulty", "failed", "unavailable"
  domain::Timestamp at{};
  std::int64_t plugins_running = 0;
  std::int64_t plugins_faulty = 0;
  std::vector<std::string> messages;  // lines, the worst first
  std::string plays = {};  // "plays", "faulty": what players found there; "" = nobody played

  friend bool operator==(const BuildStart&, const BuildStart&) = default;
};

struct Build {
  std::string build_hash;      // 64 hex digits
  std::string archive_sha256;  // hex
  std::uint64_t archive_bytes = 0;
  // A query string that gives the build hash, as long as nothing changes that it selects.
  std::string selection;
  std::optional<BuildStart> start = {};  // absent = not started yet

  friend bool operator==(const Build&, const Build&) = default;
};

// Whether it is an archive of what another build lacks (decision S31), which is not started.
bool is_partial(const Build& build);

// What is known of a build hash beyond its archive.
struct BuiltSelection {
  std::string selection;  // see Build
  std::optional<domain::Timestamp>
      built_at;  // by a download that redirected; absent = not recorded
};

struct SelectedBuild {
  std::string build_hash;
  std::string selection;  // see Build
};

class BuildStore {
 public:
  explicit BuildStore(Database& database) : database_(database) {}

  std::optional<Build> find(std::string_view build_hash);
  // Changes nothing if the build hash is recorded already: equal hashes have equal archives.
  // Without its start.
  void record(const Build& build, domain::Timestamp now);

  // Nothing if the build hash is not recorded. Longer messages than the table takes are cut.
  void record_start(std::string_view build_hash, const BuildStart& start);
  // Those that were not started yet, and those whose start was "unavailable" before `retried`, the
  // newest first; 1,000 at most. Without partial archives.
  std::vector<Build> not_started(domain::Timestamp retried);

  // Records the selection of an archive that has an address (decision O13), and with `is_built`
  // that a download has just built it; or that of a build which somebody has in parts (S31), with
  // `now` so long ago that nobody has paid for its archive.
  void note(std::string_view build_hash, std::string_view selection, domain::Timestamp now,
            bool is_built);
  // From either record.
  std::optional<BuiltSelection> find_selection(std::string_view build_hash);

  // Has the selection of note() kept as if it was recorded at `now`, unless it was later.
  void keep(std::string_view build_hash, domain::Timestamp now);

  // The builds of a selection as it was asked for, by the id of creator::selection_id().

  // Records that the build is one of it; changes nothing if that is recorded.
  void note_selection(std::string_view selection, std::string_view build_hash);
  // The newest records that find_selection() knows more of, at most kMostOfSelection.
  static constexpr std::size_t kMostOfSelection = 64;
  std::vector<SelectedBuild> builds_of_selection(std::string_view selection);
  // Selections with a build that was recorded within that time, by the database's clock.
  std::vector<std::string> selections_since(std::chrono::seconds age);

  // Forgets what was recorded before `time`, of selections what leads to nothing then, and the
  // oldest records above a million; who downloads such an archive records it again. Returns how
  // many archives.
  std::uint64_t forget_before(domain::Timestamp time);

 private:
  Database& database_;
};

}  // namespace goldsmith::db
