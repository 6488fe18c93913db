#include "db/change_log.hpp"

#include <string_view>

#include "app/base/text.hpp"
#include "db/records.hpp"

namespace goldsmith::db {
namespace {

// Arguments may be any bytes.
std::string storable(std::string_view text, std::size_t limit) {
  return std::string(base::first_bytes(base::printable(text), limit));
}

}  // namespace

void ChangeLog::record(const Change& change) {
  const std::string host = storable(change.host, 64);
  const std::string user = storable(change.user, 64);
  const std::string sudo_user = storable(change.sudo_user, 64);
  const std::string command = storable(change.command, 64);
  const std::string arguments = storable(change.arguments, 2000);
  const std::string problem = storable(change.problem, 500);
  database_.execute(
      "INSERT INTO changes (time, host, user, sudo_user, command, arguments, outcome, problem)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      {change.time, host, user, sudo_user, command, arguments, change.outcome, problem});
}

std::vector<Change> ChangeLog::list(const std::optional<domain::Timestamp>& since,
                                    std::int64_t limit) {
  const auto read = [](Row& row) {
    return Change{row.timestamp("time"), row.text("host"),    row.text("user"),
                  row.text("sudo_user"), row.text("command"), row.text("arguments"),
                  row.text("outcome"),   row.text("problem")};
  };
  return newest_entries(database_, read, "changes", since, limit);
}

std::int64_t ChangeLog::count_before(domain::Timestamp time) {
  const auto rows = database_.query("SELECT COUNT(*) FROM changes WHERE time < ?", {time});
  return rows->next() ? rows->integer(1) : 0;
}

std::int64_t ChangeLog::forget_before(domain::Timestamp time) {
  return static_cast<std::int64_t>(database_.execute("DELETE FROM changes WHERE time < ?", {time}));
}

}  // namespace goldsmith::db
