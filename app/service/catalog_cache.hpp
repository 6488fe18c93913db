// The component catalog and the manifests of its versions, kept in memory while the epoch stands.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/domain/component.hpp"
#include "app/domain/file_owners.hpp"
#include "db/component_store.hpp"

namespace goldsmith::service {

class CatalogCache {
 public:
  explicit CatalogCache(db::ComponentStore& components) : components_(components) {}

  // `epoch`: of access::Freshness; when it moved everything is read again. Throws db::Error.
  std::shared_ptr<const domain::Catalog> catalog(std::uint64_t epoch);

  // Which component ships which module. Throws db::Error.
  std::shared_ptr<const db::ModuleOwners> module_owners(std::uint64_t epoch);

  // Whose files are where on a server. Throws db::Error.
  std::shared_ptr<const domain::FileOwners> file_owners(std::uint64_t epoch);

  // What the newest AMX Mod X of the line offers to plugins, or else that of the next line, which
  // offers no less; sorted. std::nullopt if none is mirrored, or it is not recorded. Throws
  // db::Error.
  std::optional<std::vector<std::string>> platform_natives(const std::string& line,
                                                           std::uint64_t epoch);

  // That version with its files and sources. Precondition: catalog() was called for the epoch that
  // it is of. Throws db::Error.
  std::shared_ptr<const domain::ComponentVersion> with_files(
      const domain::Slug& slug, const domain::ComponentVersion& version);

 private:
  using Name = std::pair<domain::Slug, domain::Version>;

  // Forgets what is of another epoch.
  void move_to(std::uint64_t epoch);

  db::ComponentStore& components_;
  std::uint64_t epoch_ = 0;                                // that all below is of
  std::shared_ptr<const domain::Catalog> catalog_;         // null = not read yet
  std::shared_ptr<const db::ModuleOwners> owners_;         // null = not read yet
  std::shared_ptr<const domain::FileOwners> file_owners_;  // null = not read yet
  std::map<Name, std::shared_ptr<const domain::ComponentVersion>> versions_;
};

}  // namespace goldsmith::service
