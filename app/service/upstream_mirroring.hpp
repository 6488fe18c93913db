// Mirroring from upstream: which release there is, whether it is here already, and taking it in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/service/mirroring.hpp"
#include "app/upstream/release.hpp"

namespace goldsmith::service {

// What is asked of one component.
struct UpstreamRequest {
  std::optional<domain::Version> version;        // absent = the newest release
  std::optional<domain::Timestamp> released_at;  // absent = what upstream says
  bool replace = false;  // other content may take the place of what is mirrored
};

struct UpstreamPlan {
  upstream::Release release;
  bool is_mirrored = false;   // a version of that name is in the catalog
  bool is_unchanged = false;  // and upstream proves that it still is what was mirrored
};

// Hears what is being done.
struct MirrorObserver {
  std::function<void(std::string_view what)> step;
  // How much of a file there is, and of how much; 0 = unknown.
  std::function<void(const std::string& file, std::uint64_t done, std::uint64_t total)> download;
};

struct FetchedMirror {
  MirrorOutcome outcome;
  std::vector<upstream::ReleaseFile> unpinned;  // with the digests that they turned out to have
};

// Functions throw MirrorRefused, upstream::FetchError, mirror::RefusedArchive, sys::FileError,
// sys::Interrupted and db::Error.
class UpstreamMirroring {
 public:
  // All must outlive it. Throws upstream::FetchError when the configured token can't be used.
  UpstreamMirroring(db::ComponentStore& components, const archive::Depot& depot,
                    const sys::Config& config, const sys::Clock& clock);
  ~UpstreamMirroring();
  UpstreamMirroring(const UpstreamMirroring&) = delete;
  UpstreamMirroring& operator=(const UpstreamMirroring&) = delete;

  // Asks upstream. `version`: absent = the newest. Throws MirrorRefused when there is no upstream.
  upstream::Release find_release(const domain::Component& component,
                                 const std::optional<domain::Version>& version);

  // Asks upstream; changes nothing. The component comes from the catalog.
  UpstreamPlan plan(const domain::Component& component, const UpstreamRequest& request);

  // Downloads what the plan names, checks it, and mirrors it as Mirroring does. Downloads of
  // several calls run side by side, also into one depot.
  FetchedMirror mirror(const domain::Component& component, const UpstreamPlan& plan,
                       const UpstreamRequest& request, const MirrorObserver& observer);

 private:
  struct Network;
  class Fetch;
  bool is_unchanged(const domain::Component& component, const domain::ComponentVersion& known,
                    const upstream::Release& release);
  bool proves(const upstream::ReleaseFile& file, const domain::Source& source);

  db::ComponentStore& components_;
  const archive::Depot& depot_;
  const sys::Config& config_;
  const sys::Clock& clock_;
  std::unique_ptr<Network> network_;
};

}  // namespace goldsmith::service
