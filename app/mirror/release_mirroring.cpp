#include "app/mirror/release_mirroring.hpp"

#include <algorithm>

#include "app/archive/depot_workspace.hpp"

namespace goldsmith::mirror {
namespace {

constexpr std::string_view kCacheFolder = ".upstream";  // in the depot; may be removed at any time

// A damaged file is mirrored again.
bool is_in_depot(const std::optional<std::filesystem::path>& file, const std::string& digest) {
  try {
    return file && archive::ZipReader(*file).comment() == archive::depot_comment(digest);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

ReleaseMirroring::ReleaseMirroring(db::ComponentStore& components, const sys::Config& config,
                                   const sys::Clock& clock)
    : components_(components),
      depot_(config.depot),
      config_(config),
      clock_(clock),
      fetcher_(config.upstream, depot_.root() / kCacheFolder, clock) {}

upstream::Release ReleaseMirroring::find_release(const domain::Component& component,
                                                 const std::optional<domain::Version>& version) {
  if (component.upstream.empty()) {
    throw MirrorRefused("the catalog names no upstream of " + component.slug +
                        "; --archive FILE mirrors a release that was downloaded by hand");
  }
  return fetcher_.find(component.upstream, version);
}

ReleasePlan ReleaseMirroring::plan(const domain::Component& component,
                                   const ReleaseRequest& request) {
  ReleasePlan plan;
  plan.release = find_release(component, request.version);
  const domain::ComponentVersion* known = component.find_version(plan.release.version);
  plan.is_mirrored = known != nullptr;
  plan.is_unchanged = known && !request.replace && is_unchanged(component, *known, plan.release);
  return plan;
}

bool ReleaseMirroring::is_unchanged(const domain::Component& component,
                                    const domain::ComponentVersion& known,
                                    const upstream::Release& release) {
  const std::vector<domain::Source> sources =
      components_.load_sources(component.slug, known.version);
  const auto is_same = [&](const auto& file, const auto& source) {
    return fetcher_.is_same(file, source);
  };
  return std::equal(release.files.begin(), release.files.end(), sources.begin(), sources.end(),
                    is_same) &&
         is_in_depot(depot_.find(component.slug, known.version, known.digest), known.digest);
}

MirrorOutcome ReleaseMirroring::mirror(const domain::Component& component, const ReleasePlan& plan,
                                       const ReleaseRequest& request,
                                       const MirrorObserver& observer) {
  const archive::DepotWorkspace workspace(depot_.root(), archive::DepotLock(depot_.root()));
  upstream::FetchedRelease fetched = fetcher_.download(plan.release, component.upstream.signature,
                                                       workspace.path(), observer.on_download);

  ArchiveRequest archives{
      component.slug, plan.release.version, std::move(fetched.archives), {}, false, {}, {}};
  archives.released_at = request.released_at        ? request.released_at
                         : plan.release.released_at ? plan.release.released_at
                                                    : fetched.last_modified;
  archives.replace = request.replace;
  archives.sources = std::move(fetched.sources);
  archives.verified = component.upstream.signature ? domain::Verification::signature
                      : fetched.unpinned.empty()   ? domain::Verification::digest
                                                   : domain::Verification::none;
  const ArchiveMirroring mirroring(components_, depot_, config_.mirror, clock_);
  MirrorOutcome outcome = mirroring.mirror(archives, observer.on_step);
  outcome.unpinned = std::move(fetched.unpinned);
  return outcome;
}

}  // namespace goldsmith::mirror
