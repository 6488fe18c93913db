#include "app/service/mirroring.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

#include "app/domain/names.hpp"
#include "app/mirror/normalise.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::service {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorkspacePrefix = ".mirror";

// The depot to itself, until destruction. Its folder is made when it is missing.
class DepotLock {
 public:
  explicit DepotLock(const fs::path& root) {
    std::error_code error;
    fs::create_directories(root, error);
    if (error) throw sys::FileError(root, "can't be created", error.value());
    const fs::path file = root / ".lock";
    fd_ = sys::open_file(file, O_RDWR | O_CREAT, 0644);
    while (::flock(fd_.get(), LOCK_EX) != 0)
      if (errno != EINTR) throw sys::FileError(file, "can't be locked", errno);
    remove_leftovers(root);
  }

 private:
  // Who holds the lock is alone: a workspace that is there belonged to a call that was killed.
  static void remove_leftovers(const fs::path& root) {
    std::error_code error;
    std::vector<fs::path> leftovers;
    for (const fs::directory_entry& entry : fs::directory_iterator(root, error))
      if (entry.path().filename().string().starts_with(kWorkspacePrefix))
        leftovers.push_back(entry.path());
    for (const fs::path& leftover : leftovers) fs::remove_all(leftover, error);
  }

  sys::UniqueFd fd_;
};

// A version's depot file, new or in the place of an older one; what was there before comes back
// unless the change is kept.
class Publication {
 public:
  Publication(const archive::Depot& depot, const MirrorRequest& request, fs::path backup)
      : depot_(depot), request_(request), backup_(std::move(backup)) {}
  ~Publication() {
    if (published_) take_back();
  }
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;

  void publish(const fs::path& file) {
    std::error_code error;
    fs::create_hard_link(depot_.file_of(request_.slug, request_.version), backup_, error);
    if (error && error != std::errc::no_such_file_or_directory)
      throw sys::FileError(backup_, "can't be linked to the old version", error.value());
    has_backup_ = !error;
    published_ = true;  // from here on there may be something to take back
    depot_.publish(file, request_.slug, request_.version);
  }
  void keep() { published_ = false; }

 private:
  void take_back() noexcept {
    try {
      if (has_backup_)
        depot_.publish(backup_, request_.slug, request_.version);
      else
        depot_.remove(request_.slug, request_.version);
    } catch (const std::exception&) {
      // What led here is on its way to the caller; `depot verify` shows what is left.
    }
  }

  const archive::Depot& depot_;
  const MirrorRequest& request_;
  fs::path backup_;
  bool has_backup_ = false;
  bool published_ = false;
};

bool is_intact(const fs::path& file, const std::string& digest) {
  try {
    return archive::verify_depot_file(file) == digest;
  } catch (const std::exception&) {
    return false;
  }
}

MirrorChange judge(const MirrorRequest& request, const domain::ComponentVersion* known,
                   const std::string& digest, const archive::Depot& depot) {
  if (!known) return MirrorChange::mirrored;
  if (known->digest != digest) {
    if (request.replace) return MirrorChange::replaced;
    throw MirrorRefused(request.slug + " " + request.version +
                        " is mirrored with other content; --replace takes the new one");
  }
  if (!is_intact(depot.file_of(request.slug, request.version), digest))
    return MirrorChange::repaired;
  const bool new_time = !request.released_at.empty() && request.released_at != known->released_at;
  return new_time && request.replace ? MirrorChange::replaced : MirrorChange::unchanged;
}

// `known` is the version of that name that the catalog has; null when it is new.
domain::ComponentVersion describe(const MirrorRequest& request,
                                  const domain::ComponentVersion* known, mirror::Normalised release,
                                  const sys::Clock& clock) {
  domain::ComponentVersion version;
  version.version = request.version;
  version.released_at = !request.released_at.empty() ? request.released_at
                        : known                      ? known->released_at
                                                     : sys::format_timestamp(clock.now());
  version.size_bytes = release.upstream_bytes;
  version.file_count = release.files.size();
  version.digest = std::move(release.digest);
  version.files = std::move(release.files);
  return version;
}

}  // namespace

MirrorOutcome Mirroring::mirror(const MirrorRequest& request,
                                const std::function<void(std::string_view)>& progress) const {
  if (!domain::is_version(request.version))
    throw MirrorRefused("\"" + request.version + "\" is no version");
  const DepotLock lock(depot_.root());
  const domain::Catalog catalog = components_.load_catalog();
  const domain::Component* component = catalog.find(request.slug);
  if (!component)
    throw MirrorRefused("there is no component \"" + request.slug + "\"; import it first");

  const sys::TempDir workspace(depot_.root(), kWorkspacePrefix);
  const fs::path file = workspace.path() / "new.zip";
  progress("reading the release and compressing its files");
  mirror::Normalised release =
      mirror::normalise(request.archives, component->install_for(request.version), limits_, file);

  const domain::ComponentVersion* known = component->find_version(request.version);
  MirrorOutcome outcome;
  outcome.dropped = release.dropped;
  outcome.change = judge(request, known, release.digest, depot_);
  if (outcome.change == MirrorChange::unchanged) {
    outcome.version = *known;
    return outcome;
  }

  outcome.version = describe(request, known, std::move(release), clock_);
  progress("publishing it");
  Publication publication(depot_, request, workspace.path() / "old.zip");
  publication.publish(file);
  if (!components_.put_version(request.slug, outcome.version))
    throw MirrorRefused("the component \"" + request.slug + "\" was removed meanwhile");
  publication.keep();
  return outcome;
}

}  // namespace goldsmith::service
