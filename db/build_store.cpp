#include "db/build_store.hpp"

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

std::uint64_t BuildStore::forget_before(domain::Timestamp time) {
  return database_.execute("DELETE FROM builds WHERE recorded_at < ?", {time});
}

}  // namespace goldsmith::db
