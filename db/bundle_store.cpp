#include "db/bundle_store.hpp"

#include <utility>
#include <vector>

#include "db/records.hpp"

namespace goldsmith::db {

BundledItems BundleStore::load() {
  const auto read = [](Row& row) {
    return std::pair{std::pair{row.text("kind"), row.text("name")}, row.text("digest")};
  };
  return Records(database_, read, "FROM bundled_items").all<BundledItems>();
}

void BundleStore::record(const BundledItems& items) {
  std::vector<Parameter> values;
  for (const auto& [item, digest] : items) {
    values.insert(values.end(), {item.first, item.second, digest});
  }
  insert_rows(database_, "REPLACE INTO bundled_items (kind, name, digest) VALUES", 3, values);
}

}  // namespace goldsmith::db
