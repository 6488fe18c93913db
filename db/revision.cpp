#include "db/revision.hpp"

#include "db/setting_store.hpp"

namespace goldsmith::db {

void change(Database& database, const std::function<bool()>& work) {
  const auto enclosed = [&] {
    // A locking read first: the transaction's view of the data begins behind it, with all that the
    // writer before has committed.
    database.query("SELECT value FROM revision WHERE id = 1 FOR UPDATE");
    if (work()) database.execute("UPDATE revision SET value = value + 1 WHERE id = 1");
  };
  // Several changes that belong together are one transaction of the caller's.
  if (database.in_transaction()) return enclosed();
  database.transaction(enclosed);
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
