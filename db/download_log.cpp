#include "db/download_log.hpp"

#include <algorithm>
#include <string_view>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "db/database.hpp"
#include "db/records.hpp"

namespace goldsmith::db {

namespace {

// At most `limit` bytes, cut between two characters; non-ASCII bytes of invalid UTF-8 become '?'.
// Much of a record comes from the caller, who must not be able to make the insert fail.
std::string loggable(std::string_view text, std::size_t limit) {
  if (domain::is_utf8(text)) return std::string(base::first_bytes(text, limit));
  std::string result(text.substr(0, limit));
  std::replace_if(
      result.begin(), result.end(),
      [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; }, '?');
  return result;
}

}  // namespace

void DownloadLog::record(const DownloadRecord& record) {
  const std::string slug = loggable(record.slug, 64);
  const std::string version = loggable(record.version, 64);
  const std::string kind = loggable(record.kind, 32);
  const std::string toolchain = loggable(record.toolchain, 16);
  const std::string caller = loggable(record.caller, 64);
  const std::string result = loggable(record.result, 64);
  const auto insert = [&] {
    database_.execute_once(
        "INSERT INTO download_log (time, slug, version, kind, toolchain, caller, result,"
        " compile_milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        {record.time, slug, version, kind, toolchain, caller, result, record.compile_milliseconds});
  };
  const bool is_counted = record.result == "ok" && domain::Slug::parse(record.slug);
  const auto write = [&] {
    insert();
    if (!is_counted) return;
    // Last, because every download of the plugin waits for this row until the commit.
    database_.execute("UPDATE plugin_counters SET downloads = downloads + 1 WHERE slug = ?",
                      {record.slug});
  };
  if (!record.request.empty()) {
    return database_.idempotent_transaction([&] {
      if (is_new(record.request, result)) write();
    });
  }
  if (!is_counted) return insert();
  database_.repeated_transaction(write);
}

// Waits for another transaction that is about to record it. One on another node of a cluster makes
// the commit a conflict.
bool DownloadLog::is_new(const std::string& request, const std::string& result) {
  return database_.execute(
             "INSERT IGNORE INTO recorded_requests (request, result, recorded_at)"
             " VALUES (?, ?, UTC_TIMESTAMP())",
             {request, result}) > 0;
}

// No front waits longer than 620 seconds for an answer. In the order of the index: a scan of a
// small table would lock its end, where requests are recorded.
void DownloadLog::forget_requests() {
  database_.execute(
      "DELETE FROM recorded_requests WHERE recorded_at < UTC_TIMESTAMP() - INTERVAL 30 MINUTE"
      " ORDER BY recorded_at LIMIT 1000");
}

std::vector<DownloadRecord> DownloadLog::list(const std::optional<domain::Timestamp>& since,
                                              std::int64_t limit) {
  const auto read = [](Row& row) {
    return DownloadRecord{row.timestamp("time"), row.text("slug"),
                          row.text("version"),   row.text("kind"),
                          row.text("toolchain"), row.text("caller"),
                          row.text("result"),    row.integer("compile_milliseconds")};
  };
  return newest_entries(database_, read, "download_log", since, limit);
}

}  // namespace goldsmith::db
