#include "app/mirror/archive_mirroring.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "app/archive/depot.hpp"
#include "app/archive/io.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/held_folder.hpp"
#include "app/domain/plugin.hpp"
#include "app/mirror/depot_filling.hpp"

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
  std::string notes;
};

// From where the archives come.
struct Provenance {
  std::vector<domain::Source> sources;
  domain::Verification verified = domain::Verification::none;
};

// An archive by hand may lie where others can change it, or put a link in its place: what is
// checked and then read is a copy that nobody else has. Open, without a name.
base::UniqueFd copy_of(const fs::path& archive, const fs::path& folder) {
  const base::UniqueFd original = base::open_named(archive, O_RDONLY | O_NONBLOCK);
  struct stat status{};
  if (::fstat(original.get(), &status) != 0) {
    throw base::FileError(archive, "can't be examined", errno);
  }
  if (!S_ISREG(status.st_mode)) throw base::FileError(archive, "is not a regular file", EINVAL);
  const fs::path path = folder / "archive";
  base::UniqueFd copy = base::open_file(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  fs::remove(path);
  archive::copy_range({original.get(), 0, archive}, {copy.get(), 0, path},
                      static_cast<std::uint64_t>(status.st_size));
  return copy;
}

using Copies = std::vector<base::UniqueFd>;

Copies copies_of(const std::vector<fs::path>& archives, const fs::path& folder) {
  Copies copies;
  for (const fs::path& archive : archives) copies.push_back(copy_of(archive, folder));
  return copies;
}

domain::Source local_source(const base::UniqueFd& copy, const fs::path& archive) {
  base::Sha256 digest;
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
                         const domain::InstallRules& rules, const base::MirrorConfig& limits,
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
                                  std::optional<domain::Timestamp> released_at,
                                  domain::Timestamp now) {
  domain::ComponentVersion version;
  version.version = request.version;
  version.released_at = released_at;
  version.size_bytes = release.upstream_bytes;
  version.file_count = release.files.size();
  const bool is_same = known.version && known.version->digest == release.digest;
  if (known.version) {
    version.held = known.version->held;
    version.is_released = known.version->is_released;
  }
  version.notes = is_same && request.notes.empty() ? known.notes : request.notes;
  const bool is_by_hand = version.held && version.held->kind == domain::HoldKind::hand;
  if (!is_same && request.hold && !is_by_hand) {
    version.held = {request.hold->reason, now, request.hold->kind};
  }
  if (is_same && !tells_more(provenance, known)) {
    provenance = {known.sources, known.version->verified};
  }
  version.sources = std::move(provenance.sources);
  version.verified = provenance.verified;
  version.source =
      request.source.repository == 0 && is_same ? known.version->source : request.source;
  version.digest = std::move(release.digest);
  version.files = std::move(release.files);
  version.origins = std::move(release.origins);
  return version;
}

base::UniqueFd for_child(const base::UniqueFd& fd, const fs::path& path) {
  base::UniqueFd copy = base::above_standard(fd);
  if (!copy) throw base::FileError(path, "can't be opened", errno);
  return copy;
}

// Adds its size to `bytes`.
base::UniqueFd checked(const base::UniqueFd& fd, const fs::path& path, std::uint64_t& bytes) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) throw base::FileError(path, "can't be examined", errno);
  if (!S_ISREG(status.st_mode)) throw base::FileError(path, "is not a regular file", EINVAL);
  bytes += static_cast<std::uint64_t>(status.st_size);
  return for_child(fd, path);
}

// Without a name as soon as it is open: nothing of it stays, whatever happens.
base::UniqueFd unnamed_file(const fs::path& folder) {
  const fs::path path = folder / "unpacked";
  const base::UniqueFd fd = base::open_file(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (::unlink(path.c_str()) != 0) throw base::FileError(path, "can't be removed", errno);
  return for_child(fd, path);
}

// `result.upstream_bytes` is that of the archives already.
Normalised normalise_open(UnpackFiles files, const std::vector<fs::path>& names,
                          const domain::InstallRules& rules, const base::MirrorConfig& limits,
                          const fs::path& target, const fs::path& program, Normalised result) {
  const fs::path parent = target.parent_path();
  const base::TempDir folder(parent.empty() ? "." : parent);
  for (std::size_t i = 0; i < names.size(); ++i) {
    files.spills.push_back(unnamed_file(folder.path()));
  }
  files.output = unnamed_file(folder.path());
  files.origins = unnamed_file(folder.path());

  result.dropped = run_unpacker(program, files, names, rules, limits);
  files.spills.clear();  // gives their space back
  try {
    archive::VerifiedDepotFile copy =
        copy_to_depot_file(std::move(files.output), limits, target, files.any_names);
    result.digest = std::move(copy.digest);
    result.files = std::move(copy.files);
    result.origins = read_origins(files.origins, result.files, names.size(), limits,
                                  files.any_names ? &result.links : nullptr);
  } catch (const InvalidOutput& error) {
    throw UnpackError(std::string("goldsmith-unpack wrote an invalid result: ") + error.what());
  }
  return result;
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
                    components_.load_origins(request.slug, request.version),
                    components_.load_notes(request.slug)[request.version]};
  MirrorOutcome outcome;
  outcome.dropped = release.dropped;
  outcome.change = judge(request, known, provenance, release.digest, depot_);
  if (outcome.change == MirrorChange::unchanged) {
    outcome.version = *known.version;
    return outcome;
  }

  outcome.version =
      describe(request, known, std::move(provenance), std::move(release),
               release_time(request, known, *component, clock_.seconds()), clock_.seconds());
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

Normalised normalise(const std::vector<fs::path>& archives, const domain::InstallRules& rules,
                     const base::MirrorConfig& limits, const fs::path& target,
                     const fs::path& program) {
  Normalised result;
  UnpackFiles files;
  for (const fs::path& path : archives) {
    const base::UniqueFd fd = base::open_named(path, O_RDONLY | O_NONBLOCK);
    files.archives.push_back(checked(fd, path, result.upstream_bytes));
  }
  return normalise_open(std::move(files), archives, rules, limits, target, program,
                        std::move(result));
}

Normalised normalise(const std::vector<OpenArchive>& archives, const domain::InstallRules& rules,
                     const base::MirrorConfig& limits, const fs::path& target, Names names) {
  Normalised result;
  UnpackFiles files;
  files.any_names = names == Names::any;
  std::vector<fs::path> paths;
  for (const OpenArchive& archive : archives) {
    files.archives.push_back(checked(archive.file, archive.path, result.upstream_bytes));
    paths.push_back(archive.path);
  }
  return normalise_open(std::move(files), paths, rules, limits, target, unpack_program(),
                        std::move(result));
}

void add_natives(const fs::path& depot_file, const base::MirrorConfig& limits,
                 std::vector<domain::ManifestFile>& files) {
  const base::TempDir folder;
  for (domain::ManifestFile& read :
       normalise({depot_file}, {}, limits, folder.path() / "again.zip").files) {
    if (!read.natives) continue;
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const auto& each) { return each.path == read.path; });
    if (file != files.end()) file->natives = std::move(read.natives);
  }
}

}  // namespace goldsmith::mirror
