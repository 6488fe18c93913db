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

}  // namespace goldsmith::db
