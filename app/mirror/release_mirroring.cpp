#include "app/mirror/release_mirroring.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/archive/depot.hpp"
#include "app/archive/io.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/version_order.hpp"
#include "app/mirror/depot_filling.hpp"

namespace goldsmith::mirror {
namespace {

// How long the catalog remembers that a file was superseded: a host that was off for longer keeps
// its copy, which `depot verify` shows.
constexpr std::chrono::days kSupersededMemory{180};

constexpr std::string_view kCacheFolder = ".upstream";  // in the depot; may be removed at any time

// Why the repository may not be the one that builds have files of (decision P27); "" = it is, or
// that is not known.
std::string doubt_about(const domain::Component& component, const domain::SourceIdentity& now) {
  if (now.repository == 0) return "";
  for (const domain::ComponentVersion& each : component.versions) {
    if (each.held || each.source.repository == 0) continue;
    const auto doubts = domain::doubts_between(each.source, now);
    return base::join(doubts, "; ", [&](domain::Doubt doubt) {
      return domain::text_of(doubt, component.upstream.github);
    });
  }
  return "";
}

// Why a version that would be the latest does not follow on the one that is (decision P26); "" = it
// does, or the operator names it.
std::string step_of(const domain::Component& component, const ArchiveRequest& archives,
                    domain::Timestamp now) {
  const domain::ComponentVersion* const latest = component.latest();
  if (latest == nullptr || component.upstream.github.empty()) return "";
  domain::ComponentVersion next;
  next.version = archives.version;
  next.released_at = archives.released_at;
  const domain::ComponentVersion* const known = component.find_version(next.version);
  const bool is_handed_out = known != nullptr && !known->held;
  if (is_handed_out || !domain::is_newer(next, *latest)) return "";
  const domain::PublicVersion from{latest->version, latest->released_at};
  return domain::told(domain::step_between(from, next.version, now),
                      latest->version.str() + ", which is the latest");
}

// A damaged file is mirrored again.
bool is_in_depot(const std::optional<std::filesystem::path>& file, const std::string& digest) {
  try {
    return file && archive::ZipReader(*file).comment() == archive::depot_comment(digest);
  } catch (const std::exception&) {
    return false;
  }
}

const domain::Component& find(const domain::Catalog& catalog, const domain::Slug& slug) {
  const domain::Component* component = catalog.find(slug);
  if (!component) {
    throw MirrorRefused("there is no component \"" + slug + "\"; see \"goldsmith component list\"");
  }
  return *component;
}

std::vector<const domain::Component*> select(const domain::Catalog& catalog,
                                             const std::vector<domain::Slug>& slugs) {
  std::vector<const domain::Component*> components;
  components.reserve(slugs.size());
  for (const domain::Slug& slug : slugs) components.push_back(&find(catalog, slug));
  if (!slugs.empty()) return components;
  for (const domain::Component& component : catalog.components()) components.push_back(&component);
  return components;
}

// What builds get without the latest version; null if there is none.
const domain::ComponentVersion* next_of(const domain::Component& component,
                                        const domain::ComponentVersion& latest) {
  const auto begin = component.versions.begin() + (&latest - component.versions.data()) + 1;
  const auto next =
      std::find_if(begin, component.versions.end(), [](const auto& each) { return !each.held; });
  return next == component.versions.end() ? nullptr : &*next;
}

void check_not_latest(const domain::Component& component, const domain::Version& version) {
  const domain::ComponentVersion* latest = component.latest();
  if (latest == nullptr || latest->version != version) return;
  const std::string subject = component.slug + " " + version;
  const domain::ComponentVersion* next = next_of(component, *latest);
  if (next == nullptr) {
    throw MirrorRefused(subject +
                        " is the only version that builds can get, without which the component "
                        "can't be built; --force removes it");
  }
  throw MirrorRefused(subject + " is the latest version: without it, builds get " + next->version +
                      "; --force removes it");
}

void remove_all(db::ComponentStore& components, const archive::Depot& depot,
                const domain::Catalog& catalog, const std::vector<db::VersionName>& versions) {
  if (versions.empty()) return;
  components.remove_versions(versions);
  for (const db::VersionName& each : versions) {
    const std::string& digest = catalog.find(each.slug)->find_version(each.version)->digest;
    depot.remove(each.slug, each.version, digest);
  }
}

}  // namespace

ReleaseMirroring::ReleaseMirroring(db::ComponentStore& components, const base::Config& config,
                                   const base::Clock& clock)
    : components_(components),
      depot_(config.depot),
      config_(config),
      clock_(clock),
      fetcher_(config.upstream, depot_.root() / kCacheFolder, clock) {}

Release ReleaseMirroring::find_release(const domain::Component& component,
                                       const std::optional<domain::Version>& version) {
  if (component.upstream.empty()) {
    throw MirrorRefused("the catalog names no upstream of " + component.slug +
                        "; --archive FILE mirrors a release that was downloaded by hand");
  }
  return fetcher_.find(component.upstream, version, [&](const domain::Version& each) {
    const domain::ComponentVersion* const known = component.find_version(each);
    return component.holding_defect(each) != nullptr && (known == nullptr || !known->is_released);
  });
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
                                    const domain::ComponentVersion& known, const Release& release) {
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
  domain::SourceIdentity source;
  if (const auto repository = fetcher_.identify(component.upstream)) {
    source = {repository->number, repository->owner, 0};
  }
  const archive::DepotWorkspace workspace(depot_.root(), archive::DepotLock(depot_.root()));
  FetchedRelease fetched = fetcher_.download(plan.release, component.upstream.signature,
                                             workspace.path(), observer.on_download);

  ArchiveRequest archives{
      component.slug, plan.release.version, std::move(fetched.archives), {}, false, {}, {}};
  archives.released_at = request.released_at        ? request.released_at
                         : plan.release.released_at ? plan.release.released_at
                                                    : fetched.last_modified;
  archives.replace = request.replace;
  archives.notes = plan.release.notes;
  archives.sources = std::move(fetched.sources);
  archives.verified = component.upstream.signature ? domain::Verification::signature
                      : fetched.unpinned.empty()   ? domain::Verification::digest
                                                   : domain::Verification::none;
  archives.source = source;
  const bool is_proven = archives.verified != domain::Verification::none;
  const std::string doubt = is_proven ? "" : doubt_about(component, archives.source);
  // What the catalog has a digest of, and what is asked for by its name, is the operator's word.
  const bool is_named = request.version || archives.verified == domain::Verification::digest;
  const std::string step = is_named ? "" : step_of(component, archives, clock_.seconds());
  const std::string reason = doubt + (doubt.empty() || step.empty() ? "" : "; ") + step;
  const auto kind = doubt.empty() ? domain::HoldKind::step : domain::HoldKind::doubt;
  archives.hold = reason.empty() ? request.hold : domain::Hold{reason, {}, kind};
  const ArchiveMirroring mirroring(components_, depot_, config_.mirror, clock_);
  MirrorOutcome outcome = mirroring.mirror(archives, observer.on_step);
  outcome.unpinned = std::move(fetched.unpinned);
  outcome.is_doubted = !reason.empty() && outcome.change != MirrorChange::unchanged &&
                       outcome.version.held && outcome.version.held->kind == kind;
  return outcome;
}

std::vector<db::VersionName> prune_versions(db::ComponentStore& components,
                                            const archive::Depot& depot,
                                            const std::vector<domain::Slug>& slugs,
                                            std::size_t keep, archive::RemovalMode mode) {
  const archive::DepotLock lock(depot.root());
  const domain::Catalog catalog = components.load_catalog();
  std::vector<db::VersionName> old;
  for (const domain::Component* component : select(catalog, slugs)) {
    // Newest first.
    for (std::size_t i = std::max<std::size_t>(keep, 1); i < component->versions.size(); ++i) {
      const domain::ComponentVersion& version = component->versions[i];
      if (&version != component->latest()) old.push_back({component->slug, version.version});
    }
  }
  if (mode == archive::RemovalMode::remove) remove_all(components, depot, catalog, old);
  return old;
}

void remove_version(db::ComponentStore& components, const archive::Depot& depot,
                    const db::VersionName& version, bool even_latest) {
  const archive::DepotLock lock(depot.root());
  const domain::Catalog catalog = components.load_catalog();
  const domain::Component& component = find(catalog, version.slug);
  if (!component.find_version(version.version)) {
    throw MirrorRefused("the component \"" + version.slug + "\" has no mirrored version \"" +
                        version.version + "\"");
  }
  if (!even_latest) check_not_latest(component, version.version);
  remove_all(components, depot, catalog, {version});
}

std::vector<db::SupersededFile> collect_superseded(db::ComponentStore& components,
                                                   const archive::Depot& depot,
                                                   std::chrono::seconds grace,
                                                   archive::RemovalMode mode) {
  const archive::DepotLock lock(depot.root());
  std::vector<db::SupersededFile> collected;
  for (db::SupersededFile& file : components.superseded(grace)) {
    const bool was_there = mode == archive::RemovalMode::remove
                               ? depot.remove(file.slug, file.version, file.digest)
                               : depot.find(file.slug, file.version, file.digest).has_value();
    if (was_there) collected.push_back(std::move(file));
  }
  if (mode == archive::RemovalMode::remove) components.forget_superseded(kSupersededMemory);
  return collected;
}

}  // namespace goldsmith::mirror
