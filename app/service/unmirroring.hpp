// Taking mirrored versions out of the catalog and the depot.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/service/mirroring.hpp"
#include "db/component_store.hpp"

namespace goldsmith::service {

// The catalog comes first: from then on no build is planned with the version. One that was planned
// before has its files open, or fails as a whole. A call that is killed in between leaves a depot
// file that nothing names, which `depot verify` lists. Functions throw MirrorRefused,
// sys::FileError and db::Error.
class Unmirroring {
 public:
  Unmirroring(db::ComponentStore& components, const archive::Depot& depot)
      : components_(components), depot_(depot) {}

  enum class Mode { act, only_tell };

  // Removes all but the `keep` (at least one) newest versions of each of the components; no slugs
  // mean all components. Returns what was removed, or would be.
  std::vector<db::VersionName> prune(const std::vector<domain::Slug>& slugs, std::size_t keep,
                                     Mode mode) const;

  // Removes one version. The latest is refused unless `even_latest`: it is what builds get that
  // don't pin one, and without any version the component can't be built at all.
  void remove(const db::VersionName& version, bool even_latest) const;

 private:
  void remove_all(const std::vector<db::VersionName>& versions) const;

  db::ComponentStore& components_;
  const archive::Depot& depot_;
};

}  // namespace goldsmith::service
