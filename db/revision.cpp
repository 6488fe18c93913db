#include "db/revision.hpp"

#include "db/setting_store.hpp"

namespace goldsmith::db {

void change(Database& database, const std::function<bool()>& work) {
  const auto enclosed = [&] {
    // A locking read first: the transaction's view of the data begins behind it, with all that the
    // writer before has committed.
    database.query("SELECT value FROM revision WHERE id = 1 FOR UPDATE");
    if (!work()) return;
    database.execute("UPDATE revision SET value = value + 1, recorded = recorded + 1 WHERE id = 1");
  };
  // Several changes that belong together are one transaction of the caller's.
  if (database.in_transaction()) return enclosed();
  database.transaction(enclosed);
}

void record_plugin(Database& database, const domain::Slug& slug) {
  database.execute(
      "REPLACE INTO plugin_changes (slug, revision)"
      " SELECT ?, value + 1 FROM revision WHERE id = 1",
      {slug});
}

void record_staged_plugins(Database& database, std::int64_t first, std::int64_t end) {
  database.execute(
      "REPLACE INTO plugin_changes (slug, revision)"
      " SELECT s.slug, r.value + 1 FROM staged_plugins s JOIN revision r ON r.id = 1"
      " WHERE s.position >= ? AND s.position < ?",
      {first, end});
}

Progress next_progress(Rows& rows) {
  if (!rows.next()) return {};
  return {rows.integer(1), rows.integer(2), rows.integer(3), rows.integer(4)};
}

Progress read_progress(Database& database) {
  const auto rows = database.query(kProgressQuery);
  const Progress progress = next_progress(*rows);
  database.saw(progress);
  return progress;
}

std::int64_t read_revision(Database& database) { return read_progress(database).revision; }

}  // namespace goldsmith::db
