// Rate-limit windows for several hosts that share a database. Functions throw db::Error.
#pragma once

#include <cstdint>
#include <string_view>

#include "db/database.hpp"

namespace goldsmith::db {

struct WindowCount {
  bool granted = false;
  std::int64_t used = 0;  // after this call; more if others counted at the same moment
};

class WindowStore {
 public:
  explicit WindowStore(Database& database) : database_(database) {}

  // Counts one for `subject` in the window of that length and end unless `limit` is reached; atomic
  // among all hosts. Times in seconds since the epoch. Counts at most once: a connection that is
  // lost before the answer is Error{unavailable}.
  WindowCount take(std::string_view subject, std::int64_t window_seconds, std::int64_t window_end,
                   std::int64_t limit);
  std::int64_t used(std::string_view subject, std::int64_t window_seconds, std::int64_t window_end);
  // By how many seconds the server's clock is ahead of `now`; 0 if they agree (kClocksApart).
  std::int64_t clock_ahead(std::int64_t now);
  // Deletes windows that ended before `now`; a few thousand per call, so that no call takes long.
  void prune(std::int64_t now);

 private:
  Database& database_;
};

}  // namespace goldsmith::db
