// What servers were built (download_log.hpp).
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.hpp"
#include "db/download_log.hpp"
#include "db/records.hpp"

namespace goldsmith::db {

namespace {

Build read_build(Row& row) {
  Build build{row.text("build_hash"), row.text("archive_sha256"), row.size("archive_bytes"),
              row.text("selection")};
  const auto started_at = row.optional_timestamp("started_at");
  BuildStart start{row.text("start_outcome"),
                   started_at.value_or(domain::Timestamp()),
                   row.integer("plugins_running"),
                   row.integer("plugins_faulty"),
                   {}};
  if (const auto messages = row.optional_text("start_messages")) {
    for (const std::string_view line : base::split(*messages, '\n')) {
      start.messages.emplace_back(line);
    }
  }
  start.plays = row.text("start_plays");
  if (started_at) build.start = std::move(start);
  return build;
}

}  // namespace

std::optional<Build> BuildStore::find(std::string_view build_hash) {
  return Records(database_, read_build, "FROM builds WHERE build_hash = ?", {build_hash}).next();
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
      " plugins_faulty = ?, start_messages = ?, start_plays = ? WHERE build_hash = ?",
      {start.at, start.outcome, start.plugins_running, start.plugins_faulty, messages, start.plays,
       build_hash});
}

// No other parameter ends in its name, and values are encoded.
bool is_partial(const Build& build) { return build.selection.find("from=") != std::string::npos; }

std::vector<Build> BuildStore::not_started(domain::Timestamp retried) {
  return Records(database_, read_build,
                 "FROM builds WHERE (started_at IS NULL"
                 " OR (start_outcome = 'unavailable' AND started_at < ?))"
                 " AND selection NOT LIKE '%from=%'"
                 " ORDER BY recorded_at DESC, build_hash LIMIT 1000",
                 {retried})
      .all();
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
  const auto read = [](Row& row) {
    return BuiltSelection{row.text("selection"), row.timestamp("built_at")};
  };
  auto built =
      Records(database_, read, "FROM archive_builds WHERE build_hash = ?", {build_hash}).next();
  if (built) return built;
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
  const auto read = [](Row& row) {
    return SelectedBuild{row.text("s.build_hash"), row.text("COALESCE(a.selection, b.selection)")};
  };
  return Records(database_, read,
                 "FROM selection_builds s"
                 " LEFT JOIN archive_builds a ON a.build_hash = s.build_hash"
                 " LEFT JOIN builds b ON b.build_hash = s.build_hash"
                 " WHERE s.selection = ? AND COALESCE(a.selection, b.selection) IS NOT NULL"
                 " ORDER BY s.noted_at DESC LIMIT ?",
                 {selection, static_cast<std::int64_t>(kMostOfSelection)})
      .all();
}

std::vector<std::string> BuildStore::selections_since(std::chrono::seconds age) {
  return Records(database_, [](Row& row) { return row.text("DISTINCT selection"); },
                 "FROM selection_builds WHERE noted_at >= UTC_TIMESTAMP() - INTERVAL ? SECOND",
                 {static_cast<std::int64_t>(age.count())})
      .all();
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
