#include "app/mirror/unmirroring.hpp"

#include <algorithm>

#include "app/archive/depot_workspace.hpp"

namespace goldsmith::mirror {
namespace {

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

void check_not_latest(const domain::Component& component, const domain::Version& version) {
  if (component.latest()->version != version) return;
  const std::string subject = component.slug + " " + version;
  if (component.versions.size() == 1) {
    throw MirrorRefused(subject +
                        " is the component's only version, without which it can't be built; "
                        "--force removes it");
  }
  throw MirrorRefused(subject + " is the latest version: without it, builds get " +
                      component.versions[1].version + "; --force removes it");
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

std::vector<db::VersionName> prune_versions(db::ComponentStore& components,
                                            const archive::Depot& depot,
                                            const std::vector<domain::Slug>& slugs,
                                            std::size_t keep, archive::RemovalMode mode) {
  const archive::DepotLock lock(depot.root());
  const domain::Catalog catalog = components.load_catalog();
  std::vector<db::VersionName> old;
  for (const domain::Component* component : select(catalog, slugs)) {
    // Newest first; the first is the latest, whatever `keep` is.
    for (std::size_t i = std::max<std::size_t>(keep, 1); i < component->versions.size(); ++i) {
      old.push_back({component->slug, component->versions[i].version});
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
