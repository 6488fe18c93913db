// Which rows of the log are too old, and their end (download_log.hpp).
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "db/database.hpp"
#include "db/download_log.hpp"
#include "db/records.hpp"

namespace goldsmith::db {

namespace {

// How many rows one transaction changes, or all of one second if they are more. The index is forced
// below: a scan of a small table would lock its end, where downloads are logged.
constexpr std::int64_t kRows = 1000;

using Time = std::optional<domain::Timestamp>;

Time ask_time(Database& database, std::string_view time, std::string_view rest,
              std::initializer_list<Parameter> params = {}) {
  const auto read = [&](Row& row) { return row.optional_timestamp(time); };
  return Records(database, read, rest, params).next().value_or(std::nullopt);
}

Time oldest_row(Database& database) { return ask_time(database, "MIN(time)", "FROM download_log"); }

Time blank_before(Database& database) {
  return ask_time(database, "addresses_blank_before", "FROM download_log_upkeep WHERE id = 1");
}

// Calls `work` with one span of time after the other, from `begin` up to `before`, each of about
// kRows rows. Going on from where the last span ended, rather than from the oldest row, spares the
// server the rows that it has removed and not yet forgotten.
void each_span(Database& database, Time begin, const Time& before,
               const std::function<void(domain::Timestamp, domain::Timestamp)>& work) {
  while (begin && before && *begin < *before) {
    const Time next = ask_time(database, "time",
                               "FROM download_log WHERE time >= ? AND time < ?"
                               " ORDER BY time LIMIT 1 OFFSET ?",
                               {*begin, *before, kRows});
    const domain::Timestamp end =
        std::max(next.value_or(*before), *begin + std::chrono::seconds(1));
    work(*begin, end);
    begin = end;
  }
}

void remove_rows(Database& database, const Time& before,
                 const std::function<void(std::uint64_t)>& done) {
  const auto remove = [&](domain::Timestamp begin, domain::Timestamp end) {
    done(
        database.execute("DELETE l FROM download_log l FORCE INDEX (download_log_time)"
                         " WHERE l.time >= ? AND l.time < ?",
                         {begin, end}));
  };
  each_span(database, oldest_row(database), before, remove);
}

void blank_addresses(Database& database, const Time& before,
                     const std::function<void(std::uint64_t)>& done) {
  const auto blank = [&](domain::Timestamp begin, domain::Timestamp end) {
    std::uint64_t blanked = 0;
    database.transaction([&] {
      blanked = database.execute(
          "UPDATE download_log FORCE INDEX (download_log_time) SET caller = ''"
          " WHERE time >= ? AND time < ? AND caller <> ''",
          {begin, end});
      database.execute(
          "UPDATE download_log_upkeep SET addresses_blank_before = ?"
          " WHERE id = 1 AND addresses_blank_before < ?",
          {end, end});
    });
    done(blanked);
  };
  const Time oldest = oldest_row(database);
  if (oldest) each_span(database, std::max(oldest, blank_before(database)), before, blank);
}

}  // namespace

LogLimits log_limits(const base::LogConfig& config, domain::Timestamp now) {
  const auto before = [&](std::chrono::days period) {
    return period.count() == 0 ? std::nullopt : std::optional(now - period);
  };
  return {before(config.retention), before(config.addresses)};
}

LogCounts prune_log(Database& database, const LogLimits& limits,
                    const std::function<void(const LogCounts&)>& progress) {
  LogCounts counts;
  remove_rows(database, limits.rows_before, [&](std::uint64_t rows) {
    counts.rows += static_cast<std::int64_t>(rows);
    progress(counts);
  });
  blank_addresses(database, limits.addresses_before, [&](std::uint64_t rows) {
    counts.addresses += static_cast<std::int64_t>(rows);
    progress(counts);
  });
  return counts;
}

LogCounts count_prunable(Database& database, const LogLimits& limits) {
  const auto count = [&](std::string_view sql, std::initializer_list<Parameter> params) {
    const auto rows = database.query(sql, params);
    return rows->next() ? rows->integer(1) : 0;
  };
  LogCounts counts;
  if (limits.rows_before) {
    counts.rows = count("SELECT COUNT(*) FROM download_log WHERE time < ?", {*limits.rows_before});
  }
  if (limits.addresses_before) {
    counts.addresses = count(
        "SELECT COUNT(*) FROM download_log WHERE time >= ? AND time < ? AND caller <> ''",
        {std::max(limits.rows_before, blank_before(database)).value(), *limits.addresses_before});
  }
  return counts;
}

bool is_prunable(Database& database, const LogLimits& limits) {
  const Time oldest = oldest_row(database);
  if (!oldest) return false;
  if (limits.rows_before && *oldest < *limits.rows_before) return true;
  if (!limits.addresses_before) return false;
  const auto rows = database.query(
      "SELECT 1 FROM download_log WHERE time >= ? AND time < ? AND caller <> '' LIMIT 1",
      {blank_before(database).value(), *limits.addresses_before});
  return rows->next();
}

}  // namespace goldsmith::db
