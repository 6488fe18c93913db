#include "app/service/catalog_cache.hpp"

#include <algorithm>
#include <array>

#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"
#include "app/service/file_owners.hpp"

namespace goldsmith::service {

void CatalogCache::move_to(std::uint64_t epoch) {
  if (epoch == epoch_) return;
  catalog_.reset();
  owners_.reset();
  file_owners_.reset();
  versions_.clear();
  epoch_ = epoch;
}

std::shared_ptr<const domain::Catalog> CatalogCache::catalog(std::uint64_t epoch) {
  move_to(epoch);
  if (!catalog_) catalog_ = std::make_shared<const domain::Catalog>(components_.load_catalog());
  return catalog_;
}

std::shared_ptr<const db::ModuleOwners> CatalogCache::module_owners(std::uint64_t epoch) {
  move_to(epoch);
  if (!owners_) owners_ = std::make_shared<const db::ModuleOwners>(components_.module_owners());
  return owners_;
}

std::shared_ptr<const domain::FileOwners> CatalogCache::file_owners(std::uint64_t epoch) {
  move_to(epoch);
  if (!file_owners_) {
    file_owners_ = std::make_shared<const domain::FileOwners>(
        service::file_owners(components_, *catalog(epoch)));
  }
  return file_owners_;
}

std::optional<std::vector<std::string>> CatalogCache::platform_natives(const std::string& line,
                                                                       std::uint64_t epoch) {
  const auto all = catalog(epoch);
  const std::vector<std::string>& lines = domain::toolchain_lines();
  for (auto own = std::find(lines.begin(), lines.end(), line); own != lines.end(); ++own) {
    for (const domain::Component& component : all->components()) {
      if (component.loads.toolchain != *own || component.latest() == nullptr) continue;
      const auto version = with_files(component.slug, *component.latest());
      const std::array parts{&version->files};
      const auto natives = domain::offered_natives(parts);
      if (natives) return std::vector<std::string>(natives->begin(), natives->end());
    }
  }
  return std::nullopt;
}

std::shared_ptr<const domain::ComponentVersion> CatalogCache::with_files(
    const domain::Slug& slug, const domain::ComponentVersion& version) {
  const Name name(slug, version.version);
  if (const auto known = versions_.find(name); known != versions_.end()) return known->second;
  auto loaded = std::make_shared<domain::ComponentVersion>(version);
  loaded->files = components_.load_files(slug, version.version);
  loaded->sources = components_.load_sources(slug, version.version);
  versions_.emplace(name, loaded);
  return loaded;
}

}  // namespace goldsmith::service
