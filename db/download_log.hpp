// The log of plugin downloads and the counters (decision P7). Functions throw db::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/domain/timestamp.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

struct DownloadRecord {
  domain::Timestamp time{};
  std::string slug;
  std::string version;
  std::string kind;
  std::string toolchain;  // "" when nothing was compiled
  std::string caller;     // IP address
  std::string result;     // "ok" or the error code
  std::int64_t compile_milliseconds = 0;
};

class DownloadLog {
 public:
  explicit DownloadLog(Database& database) : database_(database) {}

  // One row, and for result "ok" one more on plugin_counters; both or neither.
  void record(const DownloadRecord& record);
  // Newest first, at most `limit`; those from `since` on.
  std::vector<DownloadRecord> list(const std::optional<domain::Timestamp>& since,
                                   std::int64_t limit);

 private:
  Database& database_;
};

}  // namespace goldsmith::db
