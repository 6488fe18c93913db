// What a host's depot lacks of the catalog, and what it no longer needs (decisions O10 to O12). The
// depot is derived data: the catalog says what belongs there, on every host.
#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/domain/component.hpp"
#include "db/component_store.hpp"

namespace goldsmith::service {

// A mirrored version whose file this host lacks. Both are the catalog's.
struct MissingVersion {
  const domain::Component* component;
  const domain::ComponentVersion* version;
};

// In the order of the catalog. Looks at names alone, not at contents: microseconds a version.
std::vector<MissingVersion> find_missing(const domain::Catalog& catalog,
                                         const archive::Depot& depot);

// The mirrored versions of all components.
std::size_t count_versions(const domain::Catalog& catalog);

// Writes the file that goldsmith-depot-fill.path waits for, at most once in five minutes. While the
// need persists, as that of a file which nobody can supply does, the interval doubles each time, up
// to four hours. A failure does not matter: there is a timer, too.
void request_fill(const std::filesystem::path& request_file) noexcept;

// How long a superseded file stays for those who read it: far more than the longest build, which
// other hosts may have planned two seconds after the change.
inline constexpr std::chrono::hours kSupersededGrace{1};
// How long the catalog remembers that a file was superseded: a host that was off for longer keeps
// its copy, which `depot verify` shows.
inline constexpr std::chrono::days kSupersededMemory{180};

enum class CollectMode { remove, dry_run };

// Removes the files that were superseded longer than `grace` ago, and returns those that were
// there; nothing else is ever removed. Throws sys::FileError, sys::Interrupted and db::Error.
std::vector<db::SupersededFile> collect_superseded(db::ComponentStore& components,
                                                   const archive::Depot& depot,
                                                   std::chrono::seconds grace, CollectMode mode);

}  // namespace goldsmith::service
