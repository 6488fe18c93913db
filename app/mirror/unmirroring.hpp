// Removes mirrored versions from the catalog and the depot, and what replaced ones have left there.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/archive/depot_upkeep.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "db/component_store.hpp"

namespace goldsmith::mirror {

// The catalog is changed first: from then on no build is planned with the version. A build that was
// planned before has the files open, or fails as a whole. A process that is killed in between
// leaves a depot file that `depot collect` removes later, as it does on other hosts. Functions
// throw MirrorRefused, sys::FileError, sys::Interrupted and db::Error.

// Removes all but the `keep` (at least one) newest versions of each of the components; no slugs
// mean all components. Returns what was removed, or would be.
std::vector<db::VersionName> prune_versions(db::ComponentStore& components,
                                            const archive::Depot& depot,
                                            const std::vector<domain::Slug>& slugs,
                                            std::size_t keep, archive::RemovalMode mode);

// Removes one version. The latest is refused unless `even_latest`: builds that pin no version use
// it, and a component without a version can't be built.
void remove_version(db::ComponentStore& components, const archive::Depot& depot,
                    const db::VersionName& version, bool even_latest);

// How long a superseded file stays for those who read it: far more than the longest build, which
// other hosts may have planned two seconds after the change.
inline constexpr std::chrono::hours kSupersededGrace{1};
// How long the catalog remembers that a file was superseded: a host that was off for longer keeps
// its copy, which `depot verify` shows.
inline constexpr std::chrono::days kSupersededMemory{180};

// Removes the files that were superseded longer than `grace` ago, and returns those that were
// there; nothing else is ever removed.
std::vector<db::SupersededFile> collect_superseded(db::ComponentStore& components,
                                                   const archive::Depot& depot,
                                                   std::chrono::seconds grace,
                                                   archive::RemovalMode mode);

}  // namespace goldsmith::mirror
