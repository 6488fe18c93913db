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

namespace goldsmith::db {

namespace {

constexpr const char* kSelectBuilds =
    "SELECT build_hash, archive_sha256, archive_bytes, selection, started_at, start_outcome,"
    " plugins_running, plugins_faulty, COALESCE(start_messages, ''), start_plays FROM builds "
    "WHERE ";

Build read_build(Rows& rows) {
  Build build{rows.text(1), rows.text(2), static_cast<std::uint64_t>(rows.integer(3)),
              rows.text(4)};
  if (!rows.is_null(5)) {
    build.start =
        BuildStart{rows.text(6), read_timestamp(rows, 5), rows.integer(7), rows.integer(8), {}};
    build.start->plays = rows.text(10);
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
      " plugins_faulty = ?, start_messages = ?, start_plays = ? WHERE build_hash = ?",
      {start.at, start.outcome, start.plugins_running, start.plugins_faulty, messages, start.plays,
       build_hash});
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
