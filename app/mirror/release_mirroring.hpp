// Mirrors releases from their upstream. The way of a release into the depot:
//
//   goldsmith component mirror     app/cli/commands/component_mirror.cpp
//   ReleaseMirroring               which release there is, and whether it is mirrored already
//   ReleaseFetcher                 finds and downloads it; checks digests and signatures
//   ArchiveMirroring               takes its archives, as those that came by hand (--archive)
//   normalise()                    makes the canonical ZIP that the depot holds
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/archive/depot_upkeep.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "app/mirror/releases.hpp"
#include "db/component_store.hpp"

namespace goldsmith::mirror {

// What is asked of one component.
struct ReleaseRequest {
  std::optional<domain::Version> version;        // absent = the newest release
  std::optional<domain::Timestamp> released_at;  // absent = what upstream says
  bool replace = false;                          // other content may replace what is mirrored
  std::optional<domain::Hold> hold = {};         // see ArchiveRequest
};

struct ReleasePlan {
  Release release;
  bool is_mirrored = false;   // a version of that name is in the catalog
  bool is_unchanged = false;  // and upstream proves that its files are still the same
};

// Is told what is being done.
struct MirrorObserver {
  std::function<void(std::string_view what)> on_step;
  OnFileProgress on_download;
};

// Functions throw MirrorRefused, mirror::FetchError, RefusedArchive, base::FileError,
// base::Interrupted and db::Error.
class ReleaseMirroring {
 public:
  // All must outlive it. Throws mirror::FetchError if the configured token is unusable.
  ReleaseMirroring(db::ComponentStore& components, const base::Config& config,
                   const base::Clock& clock);

  // Asks upstream. `version`: absent = the newest that no defect holds (decision S40). Throws
  // MirrorRefused if the component has no upstream.
  Release find_release(const domain::Component& component,
                       const std::optional<domain::Version>& version);

  // See mirror::ReleaseFetcher.
  std::optional<std::filesystem::file_time_type> last_asked(
      const domain::Component& component) const {
    return fetcher_.last_asked(component.upstream);
  }

  // Asks upstream; changes nothing. The component comes from the catalog.
  ReleasePlan plan(const domain::Component& component, const ReleaseRequest& request);

  // Downloads the release of `plan`, checks it, and mirrors it as ArchiveMirroring does. Downloads
  // of several processes run in parallel, also into one depot.
  MirrorOutcome mirror(const domain::Component& component, const ReleasePlan& plan,
                       const ReleaseRequest& request, const MirrorObserver& observer);

 private:
  bool is_unchanged(const domain::Component& component, const domain::ComponentVersion& known,
                    const Release& release);

  db::ComponentStore& components_;
  archive::Depot depot_;
  const base::Config& config_;
  const base::Clock& clock_;
  ReleaseFetcher fetcher_;
};

// Removes mirrored versions from the catalog and the depot, and what replaced ones have left there.
// The catalog is changed first: from then on no build is planned with the version. A build that was
// planned before has the files open, or fails as a whole. A process that is killed in between
// leaves a depot file that `depot collect` removes later, as it does on other hosts. Functions
// throw MirrorRefused, base::FileError, base::Interrupted and db::Error.

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

// Removes the files that were superseded longer than `grace` ago, and returns those that were
// there; nothing else is ever removed.
std::vector<db::SupersededFile> collect_superseded(db::ComponentStore& components,
                                                   const archive::Depot& depot,
                                                   std::chrono::seconds grace,
                                                   archive::RemovalMode mode);

}  // namespace goldsmith::mirror
