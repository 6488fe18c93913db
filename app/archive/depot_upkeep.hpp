// What a host's depot lacks of the catalog (decisions O10 to O12). The depot is derived data: the
// catalog says what belongs there, on every host.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/domain/component.hpp"
#include "app/domain/timestamp.hpp"

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

// What reading all files of a depot found, and what becomes of damaged ones (decision O11).
struct DepotVerification {
  domain::Timestamp ended_at;
  std::size_t damaged = 0;  // files that were not what the catalog says
};

// That of the latest complete reading, from a file in the depot that workers can read. std::nullopt
// if there was none. Throws base::FileError.
std::optional<DepotVerification> last_verification(const Depot& depot);
void record_verification(const Depot& depot, const DepotVerification& verification);

// Moves `file` of the depot, which is damaged, to the same path below `.damaged` of the depot, in
// place of an earlier one: builds then miss it, and `depot fill` fetches it. `inode`: of the file
// that was read. Returns the new path; std::nullopt if another file is there by now. Throws
// base::FileError and base::Interrupted.
std::optional<std::filesystem::path> set_aside(const Depot& depot,
                                               const std::filesystem::path& file, ino_t inode);

// How long a damaged file stays for whoever wants to know what happened to it.
inline constexpr std::chrono::days kDamagedGrace{7};

// Removes what was set aside longer than `grace` ago, and returns it. A file stays as long as the
// catalog knows its version and the depot lacks it: it may be the only copy. Throws base::FileError
// and base::Interrupted.
std::vector<std::filesystem::path> collect_damaged(const domain::Catalog& catalog,
                                                   const Depot& depot, std::chrono::seconds grace,
                                                   RemovalMode mode);

}  // namespace goldsmith::archive
