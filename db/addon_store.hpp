// Addon packs. Functions throw db::Error.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/domain/addon.hpp"
#include "db/database.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::db {

struct AddonPage {
  std::int64_t total = 0;
  std::vector<domain::AddonSummary> addons;
};

class AddonStore {
 public:
  explicit AddonStore(Database& database) : database_(database) {}

  AddonPage list(std::int64_t offset, std::int64_t limit);  // published; downloads desc., slug
  std::optional<domain::AddonDetail> find(std::string_view slug);  // published

  std::vector<domain::AddonPack> list_all();
  // Throws db::Error{constraint} naming the slug when a plugin is unknown; nothing is changed then.
  ImportChange import(const domain::AddonPack& pack);
  bool set_status(std::string_view slug, domain::Status status);
  bool remove(std::string_view slug);

 private:
  Database& database_;
};

}  // namespace goldsmith::db
