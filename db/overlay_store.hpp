// Configuration overlays. Functions throw db::Error.
#pragma once

#include <string_view>
#include <vector>

#include "app/domain/overlay.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

class OverlayStore {
 public:
  explicit OverlayStore(Database& database) : database_(database) {}

  // All sections, by path, position, component.
  std::vector<domain::OverlaySection> load();
  // Creates or replaces the section of that path and component. A component that is not known:
  // db::Error{constraint}.
  void set(const domain::OverlaySection& section);
  // Number of sections removed; without a component all of the path.
  std::uint64_t remove(std::string_view path, const std::string* component);

 private:
  Database& database_;
};

}  // namespace goldsmith::db
