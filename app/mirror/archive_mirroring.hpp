// Takes the archives of a release into the depot and the catalog (decision S14). For the whole way
// of a release see mirror/release_mirroring.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/domain/component.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "app/upstream/release_fetcher.hpp"
#include "db/component_store.hpp"

namespace goldsmith::mirror {

// Nothing was changed; what() names the reason and the remedy.
class MirrorRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ArchiveRequest {
  domain::Slug slug;
  domain::Version version;
  std::vector<std::filesystem::path> archives;  // of one release; a later one wins over an earlier
  // Absent = as in the catalog; for a new version domain::time_of_undated().
  std::optional<domain::Timestamp> released_at;
  bool replace = false;                 // other content may replace what is mirrored
  std::vector<domain::Source> sources;  // of the archives; empty = downloaded by hand
  // How the sources were checked; of what was downloaded by hand it is found out here.
  domain::Verification verified = domain::Verification::none;
};

enum class MirrorChange {
  mirrored,  // the version is new
  replaced,  // its content or its time of release changed
  repaired,  // the catalog had it, but its depot file was missing or damaged
  recorded,  // the content is the same; where it comes from and its time of release were added
  unchanged
};

struct MirrorOutcome {
  MirrorChange change = MirrorChange::unchanged;
  domain::ComponentVersion version;                  // as the catalog has it now
  std::uint64_t dropped = 0;                         // files that were left out
  std::vector<upstream::ReleaseFile> unpinned = {};  // see upstream::FetchedRelease
};

class ArchiveMirroring {
 public:
  ArchiveMirroring(db::ComponentStore& components, const archive::Depot& depot,
                   const sys::MirrorConfig& limits, const sys::Clock& clock)
      : components_(components), depot_(depot), limits_(limits), clock_(clock) {}

  // The new file is published beside the old one, then the catalog switches to it, in one step:
  // whatever fails or is killed, builds find the old content or the new one. The old file stays for
  // those who read it (collect_superseded).
  // One call at a time works on a depot; others wait. `progress` is told what is being done. Throws
  // MirrorRefused, RefusedArchive, sys::FileError, sys::Interrupted and db::Error.
  MirrorOutcome mirror(const ArchiveRequest& request,
                       const std::function<void(std::string_view)>& progress) const;

 private:
  void record(const ArchiveRequest& request, const domain::ComponentVersion* known,
              const domain::ComponentVersion& version, const std::filesystem::path& file) const;

  db::ComponentStore& components_;
  const archive::Depot& depot_;
  const sys::MirrorConfig& limits_;
  const sys::Clock& clock_;
};

}  // namespace goldsmith::mirror
