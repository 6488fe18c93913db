#include "app/mirror/archive_mirroring.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "app/archive/depot_workspace.hpp"
#include "app/archive/io.hpp"
#include "app/domain/version_time.hpp"
#include "app/mirror/normalise.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/held_folder.hpp"

namespace goldsmith::mirror {
namespace {

namespace fs = std::filesystem;

// Removes a file that the catalog does not name after all. A failure changes nothing that counts:
// what led here is on its way to the caller, and `depot verify` shows what is left.
void withdraw(const archive::Depot& depot, const ArchiveRequest& request,
              const std::string& digest) noexcept {
  try {
    depot.remove(request.slug, request.version, digest);
  } catch (const std::exception&) {
  }
}

bool is_intact(const archive::Depot& depot, const ArchiveRequest& request,
               const std::string& digest) {
  try {
    const auto file = depot.find(request.slug, request.version, digest);
    return file && archive::verify_depot_file(*file).digest == digest;
  } catch (const std::exception&) {
    return false;
  }
}

// What is mirrored already.
struct Known {
  const domain::ComponentVersion* version = nullptr;  // null = the version is new
  std::vector<domain::Source> sources;
  std::vector<domain::FileOrigin> origins;
};

// From where the archives come.
struct Provenance {
  std::vector<domain::Source> sources;
  domain::Verification verified = domain::Verification::none;
};

// An archive by hand may lie where others can change it, or put a link in its place: what is
// checked and then read is a copy that nobody else has. Open, without a name.
sys::UniqueFd copy_of(const fs::path& archive, const fs::path& folder) {
  const sys::UniqueFd original = sys::open_named(archive, O_RDONLY | O_NONBLOCK);
  struct stat status{};
  if (::fstat(original.get(), &status) != 0) {
    throw sys::FileError(archive, "can't be examined", errno);
  }
  if (!S_ISREG(status.st_mode)) throw sys::FileError(archive, "is not a regular file", EINVAL);
  const fs::path path = folder / "archive";
  sys::UniqueFd copy = sys::open_file(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  fs::remove(path);
  archive::copy_range({original.get(), 0, archive}, {copy.get(), 0, path},
                      static_cast<std::uint64_t>(status.st_size));
  return copy;
}

using Copies = std::vector<sys::UniqueFd>;

Copies copies_of(const std::vector<fs::path>& archives, const fs::path& folder) {
  Copies copies;
  for (const fs::path& archive : archives) copies.push_back(copy_of(archive, folder));
  return copies;
}

domain::Source local_source(const sys::UniqueFd& copy, const fs::path& archive) {
  sys::Sha256 digest;
  std::string buffer(1U << 20, '\0');
  std::uint64_t size = 0;
  while (const std::size_t count = archive::read_at({copy.get(), size, archive}, buffer)) {
    digest.update(std::string_view(buffer).substr(0, count));
    size += count;
  }
  return {"", size, digest.finish_hex(), ""};
}

// Where archives come from that were downloaded by hand. Throws MirrorRefused if the manifest names
// another digest.
Provenance provenance_of(const ArchiveRequest& request, const Copies& copies,
                         const domain::Component& component) {
  if (!request.sources.empty()) return {request.sources, request.verified};
  Provenance provenance;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    provenance.sources.push_back(local_source(copies[i], request.archives[i]));
  }
  const auto pins = component.upstream.sha256.find(request.version);
  if (pins == component.upstream.sha256.end() || pins->second.size() != request.archives.size()) {
    return provenance;
  }
  for (std::size_t i = 0; i < request.archives.size(); ++i) {
    const std::string& digest = provenance.sources[i].sha256;
    if (digest == pins->second[i]) continue;
    throw MirrorRefused(request.archives[i].string() + ": its SHA-256 is " + digest +
                        ", but the manifest names " + pins->second[i] + " for " + request.version +
                        "; it was not mirrored");
  }
  provenance.verified = domain::Verification::digest;
  return provenance;
}

Normalised read_archives(const ArchiveRequest& request, const Copies& copies,
                         const domain::InstallRules& rules, const sys::MirrorConfig& limits,
                         const fs::path& target) {
  if (copies.empty()) return normalise(request.archives, rules, limits, target);
  std::vector<OpenArchive> open;
  for (std::size_t i = 0; i < copies.size(); ++i) open.push_back({copies[i], request.archives[i]});
  return normalise(open, rules, limits, target);
}

// What upstream's own addresses say is not given up for a copy of the same content.
bool tells_more(const Provenance& provenance, const Known& known) {
  const bool has_url = !provenance.sources.front().url.empty();
  return has_url || known.sources.empty();
}

MirrorChange judge(const ArchiveRequest& request, const Known& known, const Provenance& provenance,
                   const std::string& digest, const archive::Depot& depot) {
  if (!known.version) return MirrorChange::mirrored;
  if (known.version->digest != digest) {
    if (request.replace) return MirrorChange::replaced;
    throw MirrorRefused(request.slug + " " + request.version +
                        " is mirrored with other content; --replace takes the new one");
  }
  if (!is_intact(depot, request, digest)) {
    return MirrorChange::repaired;
  }
  const bool new_sources = tells_more(provenance, known) && provenance.sources != known.sources;
  if (new_sources || known.origins.empty()) return MirrorChange::recorded;
  const bool new_time = request.released_at && request.released_at != known.version->released_at;
  return new_time && request.replace ? MirrorChange::replaced : MirrorChange::unchanged;
}

// What was said, or is known; otherwise now, unless the version's number is an older one.
std::optional<domain::Timestamp> release_time(const ArchiveRequest& request, const Known& known,
                                              const domain::Component& component,
                                              domain::Timestamp now) {
  if (request.released_at) return request.released_at;
  if (known.version) return known.version->released_at;
  std::vector<domain::DatedVersion> dated;
  for (const domain::ComponentVersion& each : component.versions) {
    if (each.released_at) dated.push_back({each.version.view(), *each.released_at});
  }
  return domain::time_of_undated(request.version.view(), dated, now);
}

domain::ComponentVersion describe(const ArchiveRequest& request, const Known& known,
                                  Provenance provenance, Normalised release,
                                  std::optional<domain::Timestamp> released_at) {
  domain::ComponentVersion version;
  version.version = request.version;
  version.released_at = released_at;
  version.size_bytes = release.upstream_bytes;
  version.file_count = release.files.size();
  const bool is_same = known.version && known.version->digest == release.digest;
  if (is_same && !tells_more(provenance, known)) {
    provenance = {known.sources, known.version->verified};
  }
  version.sources = std::move(provenance.sources);
  version.verified = provenance.verified;
  version.digest = std::move(release.digest);
  version.files = std::move(release.files);
  version.origins = std::move(release.origins);
  return version;
}

}  // namespace

MirrorOutcome ArchiveMirroring::mirror(
    const ArchiveRequest& request, const std::function<void(std::string_view)>& progress) const {
  const archive::DepotLock lock(depot_.root());
  const domain::Catalog catalog = components_.load_catalog();
  const domain::Component* component = catalog.find(request.slug);
  if (!component) {
    throw MirrorRefused("there is no component \"" + request.slug + "\"; import it first");
  }

  const archive::DepotWorkspace workspace(depot_.root(), lock);
  const bool is_by_hand = request.sources.empty();
  const Copies copies = is_by_hand ? copies_of(request.archives, workspace.path()) : Copies();
  Provenance provenance = provenance_of(request, copies, *component);
  const fs::path file = workspace.path() / "new.zip";
  progress("reading the release and compressing its files");
  Normalised release =
      read_archives(request, copies, component->install_for(request.version), limits_, file);

  const Known known{component->find_version(request.version),
                    components_.load_sources(request.slug, request.version),
                    components_.load_origins(request.slug, request.version)};
  MirrorOutcome outcome;
  outcome.dropped = release.dropped;
  outcome.change = judge(request, known, provenance, release.digest, depot_);
  if (outcome.change == MirrorChange::unchanged) {
    outcome.version = *known.version;
    return outcome;
  }

  outcome.version = describe(request, known, std::move(provenance), std::move(release),
                             release_time(request, known, *component, clock_.seconds()));
  progress("publishing it");
  record(request, known.version, outcome.version, file);
  return outcome;
}

// The row of the catalog switches from the old file to the new one. A connection that is lost
// meanwhile may have switched it: then the file stays.
void ArchiveMirroring::record(const ArchiveRequest& request, const domain::ComponentVersion* known,
                              const domain::ComponentVersion& version, const fs::path& file) const {
  depot_.publish(file, request.slug, request.version, version.digest);
  const bool is_named = known && known->digest == version.digest;
  try {
    if (components_.put_version(request.slug, version)) return;
  } catch (const db::Error& error) {
    const bool is_decided =
        error.kind() != db::Error::Kind::unavailable && error.kind() != db::Error::Kind::timeout;
    if (is_decided && !is_named) withdraw(depot_, request, version.digest);
    throw;
  }
  withdraw(depot_, request, version.digest);
  throw MirrorRefused("the component \"" + request.slug + "\" was removed meanwhile");
}

}  // namespace goldsmith::mirror
