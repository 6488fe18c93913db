#include "db/build_store.hpp"

#include "db/typed_rows.hpp"

namespace goldsmith::db {

std::optional<Build> BuildStore::find(std::string_view build_hash) {
  const auto rows = database_.query(
      "SELECT archive_sha256, archive_bytes, selection FROM builds WHERE build_hash = ?",
      {build_hash});
  if (!rows->next()) return std::nullopt;
  return Build{std::string(build_hash), rows->text(1), static_cast<std::uint64_t>(rows->integer(2)),
               rows->text(3)};
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

std::uint64_t BuildStore::forget_before(domain::Timestamp time) {
  database_.execute("DELETE FROM archive_builds WHERE built_at < ?", {time});
  return database_.execute("DELETE FROM builds WHERE recorded_at < ?", {time});
}

}  // namespace goldsmith::db
