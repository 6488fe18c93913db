#include "db/download_log.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "db/database.hpp"

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
  const auto rows = newest_entries(
      database_,
      "SELECT time, slug, version, kind, toolchain, caller, result, compile_milliseconds"
      " FROM download_log",
      since, limit);
  std::vector<DownloadRecord> records;
  while (rows->next()) {
    records.push_back({read_timestamp(*rows, 1), rows->text(2), rows->text(3), rows->text(4),
                       rows->text(5), rows->text(6), rows->text(7), rows->integer(8)});
  }
  return records;
}

namespace {

// How many rows one transaction changes, or all of one second if they are more. The index is forced
// below: a scan of a small table would lock its end, where downloads are logged.
constexpr std::int64_t kRows = 1000;

using Time = std::optional<domain::Timestamp>;

Time ask_time(Database& database, std::string_view sql,
              std::initializer_list<Parameter> params = {}) {
  const auto rows = database.query(sql, params);
  return rows->next() ? read_optional_timestamp(*rows, 1) : std::nullopt;
}

Time oldest_row(Database& database) {
  return ask_time(database, "SELECT MIN(time) FROM download_log");
}

Time blank_before(Database& database) {
  return ask_time(database, "SELECT addresses_blank_before FROM download_log_upkeep WHERE id = 1");
}

// Calls `work` with one span of time after the other, from `begin` up to `before`, each of about
// kRows rows. Going on from where the last span ended, rather than from the oldest row, spares the
// server the rows that it has removed and not yet forgotten.
void each_span(Database& database, Time begin, const Time& before,
               const std::function<void(domain::Timestamp, domain::Timestamp)>& work) {
  while (begin && before && *begin < *before) {
    const Time next = ask_time(database,
                               "SELECT time FROM download_log WHERE time >= ? AND time < ?"
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

namespace {

constexpr const char* kSelectBuilds =
    "SELECT build_hash, archive_sha256, archive_bytes, selection, started_at, start_outcome,"
    " plugins_running, plugins_faulty, COALESCE(start_messages, '') FROM builds WHERE ";

Build read_build(Rows& rows) {
  Build build{rows.text(1), rows.text(2), static_cast<std::uint64_t>(rows.integer(3)),
              rows.text(4)};
  if (!rows.is_null(5)) {
    build.start =
        BuildStart{rows.text(6), read_timestamp(rows, 5), rows.integer(7), rows.integer(8), {}};
    const std::string messages = rows.text(9);
    if (!messages.empty()) {
      for (const std::string_view line : base::split(messages, '\n')) {
        build.start->messages.emplace_back(line);
      }
    }
  }
  return build;
}

}  // namespace

std::optional<Build> BuildStore::find(std::string_view build_hash) {
  const auto rows = database_.query(std::string(kSelectBuilds) + "build_hash = ?", {build_hash});
  return rows->next() ? std::optional(read_build(*rows)) : std::nullopt;
}

void BuildStore::record_start(std::string_view build_hash, const BuildStart& start) {
  constexpr std::size_t kLongest = 60'000;  // bytes; TEXT takes 65,535
  std::string messages;
  for (const std::string& message : start.messages) {
    if (messages.size() + message.size() >= kLongest) break;
    messages.append(messages.empty() ? "" : "\n").append(message);
  }
  database_.execute(
      "UPDATE builds SET started_at = ?, start_outcome = ?, plugins_running = ?,"
      " plugins_faulty = ?, start_messages = ? WHERE build_hash = ?",
      {start.at, start.outcome, start.plugins_running, start.plugins_faulty, messages, build_hash});
}

// No other parameter ends in its name, and values are encoded.
bool is_partial(const Build& build) { return build.selection.find("from=") != std::string::npos; }

std::vector<Build> BuildStore::not_started(domain::Timestamp retried) {
  const auto rows =
      database_.query(std::string(kSelectBuilds) +
                          "(started_at IS NULL OR (start_outcome = 'unavailable' AND started_at <"
                          " ?)) AND selection NOT LIKE '%from=%'"
                          " ORDER BY recorded_at DESC, build_hash LIMIT 1000",
                      {retried});
  std::vector<Build> builds;
  while (rows->next()) builds.push_back(read_build(*rows));
  return builds;
}

void BuildStore::record(const Build& build, domain::Timestamp now) {
  database_.execute(
      "INSERT IGNORE INTO builds"
      " (build_hash, archive_sha256, archive_bytes, selection, recorded_at) VALUES (?, ?, ?, ?, ?)",
      {build.build_hash, build.archive_sha256, static_cast<std::int64_t>(build.archive_bytes),
       build.selection, now});
}

void BuildStore::note(std::string_view build_hash, std::string_view selection,
                      domain::Timestamp now, bool is_built) {
  database_.execute(
      "INSERT IGNORE INTO archive_builds (build_hash, selection, built_at) VALUES (?, ?, ?)",
      {build_hash, selection, now});
  if (is_built) {
    database_.execute("UPDATE archive_builds SET built_at = ? WHERE build_hash = ?",
                      {now, build_hash});
  }
}

std::optional<BuiltSelection> BuildStore::find_selection(std::string_view build_hash) {
  const auto rows = database_.query(
      "SELECT selection, built_at FROM archive_builds WHERE build_hash = ?", {build_hash});
  if (rows->next()) return BuiltSelection{rows->text(1), read_timestamp(*rows, 2)};
  const auto build = find(build_hash);
  return build ? std::optional(BuiltSelection{build->selection, std::nullopt}) : std::nullopt;
}

void BuildStore::keep(std::string_view build_hash, domain::Timestamp now) {
  database_.execute("UPDATE archive_builds SET built_at = ? WHERE build_hash = ? AND built_at < ?",
                    {now, build_hash, now});
}

void BuildStore::note_selection(std::string_view selection, std::string_view build_hash) {
  database_.execute(
      "INSERT IGNORE INTO selection_builds (selection, build_hash, noted_at)"
      " VALUES (?, ?, UTC_TIMESTAMP())",
      {selection, build_hash});
}

std::vector<SelectedBuild> BuildStore::builds_of_selection(std::string_view selection) {
  const auto rows = database_.query(
      "SELECT s.build_hash, COALESCE(a.selection, b.selection) FROM selection_builds s"
      " LEFT JOIN archive_builds a ON a.build_hash = s.build_hash"
      " LEFT JOIN builds b ON b.build_hash = s.build_hash"
      " WHERE s.selection = ? AND COALESCE(a.selection, b.selection) IS NOT NULL"
      " ORDER BY s.noted_at DESC LIMIT ?",
      {selection, static_cast<std::int64_t>(kMostOfSelection)});
  std::vector<SelectedBuild> builds;
  while (rows->next()) builds.push_back({rows->text(1), rows->text(2)});
  return builds;
}

std::vector<std::string> BuildStore::selections_since(std::chrono::seconds age) {
  const auto rows = database_.query(
      "SELECT DISTINCT selection FROM selection_builds"
      " WHERE noted_at >= UTC_TIMESTAMP() - INTERVAL ? SECOND",
      {static_cast<std::int64_t>(age.count())});
  std::vector<std::string> selections;
  while (rows->next()) selections.push_back(rows->text(1));
  return selections;
}

std::uint64_t BuildStore::forget_before(domain::Timestamp time) {
  constexpr std::int64_t kMostSelections = 1'000'000;
  database_.execute("DELETE FROM archive_builds WHERE built_at < ?", {time});
  const std::uint64_t forgotten =
      database_.execute("DELETE FROM builds WHERE recorded_at < ?", {time});
  database_.execute(
      "DELETE s FROM selection_builds s"
      " LEFT JOIN archive_builds a ON a.build_hash = s.build_hash"
      " LEFT JOIN builds b ON b.build_hash = s.build_hash"
      " WHERE a.build_hash IS NULL AND b.build_hash IS NULL");
  database_.execute(
      "DELETE FROM selection_builds WHERE noted_at < (SELECT noted_at FROM (SELECT noted_at"
      " FROM selection_builds ORDER BY noted_at DESC LIMIT 1 OFFSET ?) AS oldest)",
      {kMostSelections});
  return forgotten;
}

}  // namespace goldsmith::db
