// What a host's depot lacks of the catalog (decisions O10 to O12). The depot is derived data: the
// catalog says what belongs there, on every host.
#pragma once

#include <filesystem>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::archive {

// A mirrored version whose file this host lacks. Both are the catalog's.
struct MissingVersion {
  const domain::Component* component;
  const domain::ComponentVersion* version;
};

// In the order of the catalog. Looks at names alone, not at contents: microseconds a version.
std::vector<MissingVersion> find_missing(const domain::Catalog& catalog, const Depot& depot);

// The mirrored versions of all components.
std::size_t count_versions(const domain::Catalog& catalog);

// Writes the file that goldsmith-depot-fill.path waits for, at most once in five minutes. While the
// need persists, as that of a file which nobody can supply does, the interval doubles each time, up
// to four hours. A failure does not matter: there is a timer, too.
void request_fill(const std::filesystem::path& request_file) noexcept;

// Whether unneeded files are removed, or only named.
enum class RemovalMode { remove, dry_run };

}  // namespace goldsmith::archive
