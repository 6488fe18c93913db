#include "db/window_store.hpp"

#include <cstdlib>
#include <string>

namespace goldsmith::db {
namespace {

// Subject and length together name a bucket. Subjects are short: an address or the number of a key.
std::string bucket_of(std::string_view subject, std::int64_t window_seconds) {
  return std::to_string(window_seconds) + " " + std::string(subject.substr(0, 100));
}

}  // namespace

WindowCount WindowStore::take(std::string_view subject, std::int64_t window_seconds,
                              std::int64_t window_end, std::int64_t limit) {
  // Reading may be repeated, so that a connection that was lost before goes unnoticed.
  const std::int64_t before = used(subject, window_seconds, window_end);
  if (before >= limit) return {false, before};
  const std::string bucket = bucket_of(subject, window_seconds);
  // One statement, so that hosts can't both take the last one, and never repeated, so that nothing
  // counts twice. Rows changed: 1 = new, 2 = counted, 0 = the limit was reached meanwhile.
  const std::uint64_t changed = database_.execute_once(
      "INSERT INTO rate_windows (bucket, window_start, used) VALUES (?, FROM_UNIXTIME(?), 1)"
      " ON DUPLICATE KEY UPDATE used = IF(used < ?, used + 1, used)",
      {bucket, window_end - window_seconds, limit});
  if (changed == 0) return {false, limit};
  return {true, before + 1};
}

std::int64_t WindowStore::used(std::string_view subject, std::int64_t window_seconds,
                               std::int64_t window_end) {
  const std::string bucket = bucket_of(subject, window_seconds);
  const auto rows = database_.query(
      "SELECT used FROM rate_windows WHERE bucket = ? AND window_start = FROM_UNIXTIME(?)",
      {bucket, window_end - window_seconds});
  return rows->next() ? rows->integer(1) : 0;
}

std::int64_t WindowStore::clock_ahead(std::int64_t now) {
  const auto rows = database_.query("SELECT UNIX_TIMESTAMP()");
  const std::int64_t ahead = rows->next() ? rows->integer(1) - now : 0;
  return std::abs(ahead) > kClocksApart ? ahead : 0;
}

// No window is longer than a day.
void WindowStore::prune(std::int64_t now) {
  database_.execute(
      "DELETE FROM rate_windows WHERE window_start < FROM_UNIXTIME(?) - INTERVAL 1 DAY LIMIT 10000",
      {now});
}

}  // namespace goldsmith::db
