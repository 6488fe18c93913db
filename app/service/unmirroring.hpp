// Removes mirrored versions from the catalog and the depot.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/service/archive_mirroring.hpp"
#include "db/component_store.hpp"

namespace goldsmith::service {

// The catalog is changed first: from then on no build is planned with the version. A build that was
// planned before has the files open, or fails as a whole. A process that is killed in between
// leaves a depot file that `depot collect` removes later, as it does on other hosts. Functions
// throw MirrorRefused, sys::FileError and db::Error.
class Unmirroring {
 public:
  Unmirroring(db::ComponentStore& components, const archive::Depot& depot)
      : components_(components), depot_(depot) {}

  enum class Mode { remove, dry_run };

  // Removes all but the `keep` (at least one) newest versions of each of the components; no slugs
  // mean all components. Returns what was removed, or would be.
  std::vector<db::VersionName> prune(const std::vector<domain::Slug>& slugs, std::size_t keep,
                                     Mode mode) const;

  // Removes one version. The latest is refused unless `even_latest`: builds that pin no version use
  // it, and a component without a version can't be built.
  void remove(const db::VersionName& version, bool even_latest) const;

 private:
  void remove_all(const domain::Catalog& catalog,
                  const std::vector<db::VersionName>& versions) const;

  db::ComponentStore& components_;
  const archive::Depot& depot_;
};

}  // namespace goldsmith::service
