#include "app/service/archive_mirroring.hpp"

#include <system_error>

#include "app/mirror/normalise.hpp"
#include "app/service/depot_workspace.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::service {
namespace {

namespace fs = std::filesystem;

// A version's depot file, new or in the place of an older one; what was there before comes back
// unless the change is kept.
class Publication {
 public:
  Publication(const archive::Depot& depot, const ArchiveRequest& request, fs::path backup)
      : depot_(depot), request_(request), backup_(std::move(backup)) {}
  ~Publication() {
    if (published_) take_back();
  }
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;

  void publish(const fs::path& file) {
    std::error_code error;
    fs::create_hard_link(depot_.file_of(request_.slug, request_.version), backup_, error);
    if (error && error != std::errc::no_such_file_or_directory) {
      throw sys::FileError(backup_, "can't be linked to the old version", error.value());
    }
    has_backup_ = !error;
    published_ = true;  // from here on there may be something to take back
    depot_.publish(file, request_.slug, request_.version);
  }
  void keep() { published_ = false; }

 private:
  void take_back() noexcept {
    try {
      if (has_backup_) {
        depot_.publish(backup_, request_.slug, request_.version);
      } else {
        depot_.remove(request_.slug, request_.version);
      }
    } catch (const std::exception&) {
      // What led here is on its way to the caller; `depot verify` shows what is left.
    }
  }

  const archive::Depot& depot_;
  const ArchiveRequest& request_;
  fs::path backup_;
  bool has_backup_ = false;
  bool published_ = false;
};

bool is_intact(const fs::path& file, const std::string& digest) {
  try {
    return archive::verify_depot_file(file).digest == digest;
  } catch (const std::exception&) {
    return false;
  }
}

// What is mirrored already.
struct Known {
  const domain::ComponentVersion* version = nullptr;  // null = the version is new
  std::vector<domain::Source> sources;
};

MirrorChange judge(const ArchiveRequest& request, const Known& known, const std::string& digest,
                   const archive::Depot& depot) {
  if (!known.version) return MirrorChange::mirrored;
  if (known.version->digest != digest) {
    if (request.replace) return MirrorChange::replaced;
    throw MirrorRefused(request.slug + " " + request.version +
                        " is mirrored with other content; --replace takes the new one");
  }
  if (!is_intact(depot.file_of(request.slug, request.version), digest)) {
    return MirrorChange::repaired;
  }
  if (!request.sources.empty() && request.sources != known.sources) return MirrorChange::recorded;
  const bool new_time = request.released_at && request.released_at != known.version->released_at;
  return new_time && request.replace ? MirrorChange::replaced : MirrorChange::unchanged;
}

domain::ComponentVersion describe(const ArchiveRequest& request, const Known& known,
                                  mirror::Normalised release, const sys::Clock& clock) {
  domain::ComponentVersion version;
  version.version = request.version;
  version.released_at = request.released_at ? request.released_at
                        : known.version     ? known.version->released_at
                                            : clock.seconds();
  version.size_bytes = release.upstream_bytes;
  version.file_count = release.files.size();
  const bool is_same = known.version && known.version->digest == release.digest;
  version.sources = request.sources.empty() && is_same ? known.sources : request.sources;
  version.digest = std::move(release.digest);
  version.files = std::move(release.files);
  return version;
}

}  // namespace

MirrorOutcome ArchiveMirroring::mirror(
    const ArchiveRequest& request, const std::function<void(std::string_view)>& progress) const {
  const DepotLock lock(depot_.root());
  const domain::Catalog catalog = components_.load_catalog();
  const domain::Component* component = catalog.find(request.slug);
  if (!component) {
    throw MirrorRefused("there is no component \"" + request.slug + "\"; import it first");
  }

  const DepotWorkspace workspace(depot_.root(), lock);
  const fs::path file = workspace.path() / "new.zip";
  progress("reading the release and compressing its files");
  mirror::Normalised release =
      mirror::normalise(request.archives, component->install_for(request.version), limits_, file);

  const Known known{component->find_version(request.version),
                    components_.load_sources(request.slug, request.version)};
  MirrorOutcome outcome;
  outcome.dropped = release.dropped;
  outcome.change = judge(request, known, release.digest, depot_);
  if (outcome.change == MirrorChange::unchanged) {
    outcome.version = *known.version;
    return outcome;
  }

  outcome.version = describe(request, known, std::move(release), clock_);
  progress("publishing it");
  Publication publication(depot_, request, workspace.path() / "old.zip");
  publication.publish(file);
  if (!components_.put_version(request.slug, outcome.version)) {
    throw MirrorRefused("the component \"" + request.slug + "\" was removed meanwhile");
  }
  publication.keep();
  return outcome;
}

}  // namespace goldsmith::service
