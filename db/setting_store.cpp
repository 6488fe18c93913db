#include "db/setting_store.hpp"

#include "db/revision.hpp"

namespace goldsmith::db {

std::map<std::string, std::string> SettingStore::load() {
  std::map<std::string, std::string> settings;
  const auto rows = database_.query("SELECT name, value FROM settings");
  while (rows->next()) settings.emplace(rows->text(1), rows->text(2));
  return settings;
}

void SettingStore::set(std::string_view name, std::string_view value) {
  change(database_, [&] {
    // 1 row if inserted, 2 if updated, 0 if it had that value.
    return database_.execute(
               "INSERT INTO settings (name, value) VALUES (?, ?)"
               " ON DUPLICATE KEY UPDATE value = ?",
               {name, value, value}) > 0;
  });
}

}  // namespace goldsmith::db
