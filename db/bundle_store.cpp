#include "db/bundle_store.hpp"

#include <vector>

namespace goldsmith::db {

BundledItems BundleStore::load() {
  BundledItems items;
  const auto rows = database_.query("SELECT kind, name, digest FROM bundled_items");
  while (rows->next()) items.emplace(std::pair(rows->text(1), rows->text(2)), rows->text(3));
  return items;
}

void BundleStore::record(const BundledItems& items) {
  std::vector<Parameter> values;
  for (const auto& [item, digest] : items) {
    values.insert(values.end(), {item.first, item.second, digest});
  }
  insert_rows(database_, "REPLACE INTO bundled_items (kind, name, digest) VALUES", 3, values);
}

}  // namespace goldsmith::db
