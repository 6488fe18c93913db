#include "app/service/upstream_mirroring.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "app/domain/names.hpp"
#include "app/service/depot_workspace.hpp"
#include "app/sys/text.hpp"
#include "app/upstream/github.hpp"
#include "app/upstream/releases.hpp"
#include "app/upstream/signature.hpp"
#include "app/upstream/transport.hpp"
#include "app/upstream/web.hpp"

namespace goldsmith::service {
namespace {

namespace fs = std::filesystem;
using upstream::FetchError;
using upstream::ReleaseFile;

constexpr std::string_view kCacheFolder = ".upstream";  // in the depot; may be removed at any time
constexpr std::uint64_t kLargestToken = 4096;

std::string read_token(const fs::path& file) {
  if (file.empty()) return "";
  const std::string about = "mirror.github_token_file: ";
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0 && (status.st_mode & S_IROTH) != 0) {
    throw FetchError(about + file.string() + " can be read by everybody; chmod o-r it");
  }
  std::string content;
  try {
    content = sys::read_file(file, kLargestToken);
  } catch (const sys::FileError& error) {
    throw FetchError(about + error.what());
  }
  const std::string token(sys::trim_ascii(content));
  const bool legal = !token.empty() && std::all_of(token.begin(), token.end(),
                                                   [](char c) { return c > ' ' && c < 0x7f; });
  if (!legal) throw FetchError(about + file.string() + " does not hold one token on one line");
  return token;
}

bool is_in_depot(const fs::path& file, const std::string& digest) {
  try {
    return archive::ZipReader(file).comment() == archive::depot_comment(digest);
  } catch (const std::exception&) {
    return false;
  }
}

void check_digest(const ReleaseFile& file, const std::string& digest, const std::string& wanted,
                  const std::string& who) {
  if (wanted.empty() || wanted == digest) return;
  throw FetchError(file.url + ": its SHA-256 is " + digest + ", but " + who + " names " + wanted +
                   "; it was not mirrored");
}

}  // namespace

struct UpstreamMirroring::Network {
  Network(const sys::Config& config, const archive::Depot& depot, const sys::Clock& clock)
      : transport(upstream::make_transport(config.upstream)),
        web(*transport, config.upstream, clock),
        github(web, {config.upstream.github_api, read_token(config.upstream.github_token_file),
                     depot.root() / kCacheFolder}) {}

  std::unique_ptr<upstream::Transport> transport;
  upstream::Web web;
  upstream::Github github;
};

// The files of one release on their way into a folder.
class UpstreamMirroring::Fetch {
 public:
  Fetch(UpstreamMirroring& mirroring, const domain::Signature& signature, fs::path folder,
        const MirrorObserver& observer)
      : web_(mirroring.network_->web),
        keys_(mirroring.config_.upstream.keys),
        signature_(signature),
        folder_(std::move(folder)),
        observer_(observer) {}

  void add(const ReleaseFile& file) {
    const fs::path path = path_of(file);
    const auto progress = [&](std::uint64_t done, std::uint64_t total) {
      observer_.download(file.name, done, total);
    };
    const upstream::Download download = web_.download({file.url, path, file.size}, progress);
    check_digest(file, download.sha256, file.pinned_sha256, "the catalog");
    check_digest(file, download.sha256, file.sha256, "its release");
    if (!file.signature_url.empty()) check_signature(file, path);
    archives_.push_back(path);
    const std::string& stamp = file.stamp.empty() ? download.stamp : file.stamp;
    sources_.push_back({file.url, download.size, download.sha256, stamp});
    last_modified_ = std::max(last_modified_, download.last_modified);
    if (file.pinned_sha256.empty()) {
      unpinned_.push_back(file);
      unpinned_.back().sha256 = download.sha256;
    }
  }

  const std::vector<fs::path>& archives() const { return archives_; }
  const std::vector<domain::Source>& sources() const { return sources_; }
  const std::vector<ReleaseFile>& unpinned() const { return unpinned_; }
  const std::optional<domain::Timestamp>& last_modified() const { return last_modified_; }

 private:
  // Each file has a folder of its own, so that two may have one name.
  fs::path path_of(const ReleaseFile& file) const {
    const fs::path folder = folder_ / std::to_string(archives_.size() + 1);
    fs::create_directory(folder);
    return folder / (domain::is_file_name(file.name) ? file.name : "archive");
  }

  void check_signature(const ReleaseFile& file, const fs::path& path) {
    const fs::path scratch = path.parent_path() / "signature";
    fs::create_directory(scratch);
    const fs::path signature = scratch / "signature";
    web_.download({file.signature_url, signature, 0});
    upstream::check_signature({path, signature, file.name}, signature_.key, keys_, scratch);
  }

  upstream::Web& web_;
  const fs::path& keys_;
  const domain::Signature& signature_;
  fs::path folder_;
  const MirrorObserver& observer_;
  std::vector<fs::path> archives_;
  std::vector<domain::Source> sources_;
  std::vector<ReleaseFile> unpinned_;
  std::optional<domain::Timestamp> last_modified_;
};

UpstreamMirroring::UpstreamMirroring(db::ComponentStore& components, const archive::Depot& depot,
                                     const sys::Config& config, const sys::Clock& clock)
    : components_(components),
      depot_(depot),
      config_(config),
      clock_(clock),
      network_(std::make_unique<Network>(config, depot, clock)) {}
UpstreamMirroring::~UpstreamMirroring() = default;

upstream::Release UpstreamMirroring::find_release(const domain::Component& component,
                                                  const std::optional<domain::Version>& version) {
  if (component.upstream.empty()) {
    throw MirrorRefused("the catalog names no upstream of " + component.slug +
                        "; --archive FILE mirrors a release that was downloaded by hand");
  }
  return upstream::find_release(component.upstream, version, network_->github);
}

UpstreamPlan UpstreamMirroring::plan(const domain::Component& component,
                                     const UpstreamRequest& request) {
  UpstreamPlan plan;
  plan.release = find_release(component, request.version);
  const domain::ComponentVersion* known = component.find_version(plan.release.version);
  plan.is_mirrored = known != nullptr;
  plan.is_unchanged = known && !request.replace && is_unchanged(component, *known, plan.release);
  return plan;
}

bool UpstreamMirroring::is_unchanged(const domain::Component& component,
                                     const domain::ComponentVersion& known,
                                     const upstream::Release& release) {
  const std::vector<domain::Source> sources =
      components_.load_sources(component.slug, known.version);
  return std::equal(release.files.begin(), release.files.end(), sources.begin(), sources.end(),
                    [&](const auto& file, const auto& source) { return proves(file, source); }) &&
         is_in_depot(depot_.file_of(component.slug, known.version), known.digest);
}

// A digest proves it; else a time that moves when a release's asset is replaced; else the server is
// asked.
bool UpstreamMirroring::proves(const ReleaseFile& file, const domain::Source& source) {
  if (file.url != source.url || (file.size > 0 && file.size != source.size)) return false;
  const std::string& pinned = file.pinned_sha256;
  if (!pinned.empty() && pinned != source.sha256) return false;
  if (!file.sha256.empty()) return file.sha256 == source.sha256;
  if (!file.stamp.empty()) return file.stamp == source.stamp;
  return !pinned.empty() || network_->web.is_unchanged(file.url, source.stamp);
}

FetchedMirror UpstreamMirroring::mirror(const domain::Component& component,
                                        const UpstreamPlan& plan, const UpstreamRequest& request,
                                        const MirrorObserver& observer) {
  const DepotWorkspace workspace(depot_.root(), DepotLock(depot_.root()));
  Fetch fetch(*this, component.upstream.signature, workspace.path(), observer);
  for (const ReleaseFile& file : plan.release.files) fetch.add(file);

  MirrorRequest taking{component.slug, plan.release.version, fetch.archives(), {}, false, {}};
  taking.released_at = request.released_at        ? request.released_at
                       : plan.release.released_at ? plan.release.released_at
                                                  : fetch.last_modified();
  taking.replace = request.replace;
  taking.sources = fetch.sources();
  const Mirroring mirroring(components_, depot_, config_.mirror, clock_);
  return {mirroring.mirror(taking, observer.step), fetch.unpinned()};
}

}  // namespace goldsmith::service
