// Mirrors releases from their upstream. The way of a release into the depot:
//
//   goldsmith component mirror     app/cli/commands/component_mirror.cpp, component_releases.cpp
//   ReleaseMirroring               which release there is, and whether it is mirrored already
//   upstream::ReleaseFetcher       finds and downloads it; checks digests and signatures
//   ArchiveMirroring               takes its archives, as it does those that came by hand
//   (--archive) normalise()                    makes the canonical ZIP that the depot holds
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/mirror/archive_mirroring.hpp"
#include "app/upstream/release_fetcher.hpp"

namespace goldsmith::mirror {

// What is asked of one component.
struct ReleaseRequest {
  std::optional<domain::Version> version;        // absent = the newest release
  std::optional<domain::Timestamp> released_at;  // absent = what upstream says
  bool replace = false;                          // other content may replace what is mirrored
};

struct ReleasePlan {
  upstream::Release release;
  bool is_mirrored = false;   // a version of that name is in the catalog
  bool is_unchanged = false;  // and upstream proves that its files are still the same
};

// Is told what is being done.
struct MirrorObserver {
  std::function<void(std::string_view what)> on_step;
  upstream::OnFileProgress on_download;
};

// Functions throw MirrorRefused, upstream::FetchError, RefusedArchive, sys::FileError,
// sys::Interrupted and db::Error.
class ReleaseMirroring {
 public:
  // All must outlive it. Throws upstream::FetchError if the configured token is unusable.
  ReleaseMirroring(db::ComponentStore& components, const sys::Config& config,
                   const sys::Clock& clock);

  // Asks upstream. `version`: absent = the newest. Throws MirrorRefused if the component has no
  // upstream.
  upstream::Release find_release(const domain::Component& component,
                                 const std::optional<domain::Version>& version);

  // See upstream::ReleaseFetcher.
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
                    const upstream::Release& release);

  db::ComponentStore& components_;
  archive::Depot depot_;
  const sys::Config& config_;
  const sys::Clock& clock_;
  upstream::ReleaseFetcher fetcher_;
};

}  // namespace goldsmith::mirror
