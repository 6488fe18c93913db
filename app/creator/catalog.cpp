#include "app/creator/catalog.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/creator/plugin_requirements.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::creator {

void CatalogCache::move_to(std::uint64_t epoch) {
  if (epoch == epoch_) return;
  catalog_.reset();
  file_owners_.reset();
  libraries_.reset();
  versions_.clear();
  epoch_ = epoch;
}

std::shared_ptr<const domain::Catalog> CatalogCache::catalog(std::uint64_t epoch) {
  move_to(epoch);
  if (!catalog_) catalog_ = std::make_shared<const domain::Catalog>(components_.load_catalog());
  return catalog_;
}

std::pair<std::shared_ptr<const domain::Catalog>, ComponentOffers> CatalogCache::offers(
    std::uint64_t epoch) {
  auto all = catalog(epoch);
  std::vector<db::VersionName> latest;
  for (const domain::Component& component : all->components()) {
    if (!component.selectable || component.latest() == nullptr) continue;
    latest.push_back({component.slug, component.latest()->version});
  }
  // In `data` is what the GeoIP module reads.
  auto files = components_.load_files_below(latest, "cstrike/addons/amxmodx/modules/");
  for (auto& [slug, data] : components_.load_files_below(latest, "cstrike/addons/amxmodx/data/")) {
    auto& of_component = files[slug];
    of_component.insert(of_component.end(), data.begin(), data.end());
  }
  ComponentOffers offers;
  for (const domain::Component& component : all->components()) {
    const auto found = files.find(component.slug);
    if (found != files.end()) offers.add(component, found->second);
  }
  return {std::move(all), std::move(offers)};
}

std::shared_ptr<const domain::FileOwners> CatalogCache::file_owners(std::uint64_t epoch) {
  move_to(epoch);
  if (!file_owners_) {
    file_owners_ = std::make_shared<const domain::FileOwners>(
        creator::file_owners(components_, *catalog(epoch)));
  }
  return file_owners_;
}

std::shared_ptr<const domain::VersionFiles> CatalogCache::libraries(std::uint64_t epoch) {
  move_to(epoch);
  if (!libraries_) {
    libraries_ = std::make_shared<const domain::VersionFiles>(components_.load_all_files(".so"));
  }
  return libraries_;
}

void CatalogCache::remove_foreign(domain::PluginVersion& version, std::uint64_t epoch) {
  if (domain::FileOwners::may_concern(version)) file_owners(epoch)->remove_foreign(version);
}

void CatalogCache::remove_foreign(domain::Plugin& plugin, std::uint64_t epoch) {
  for (domain::PluginVersion& version : plugin.versions) remove_foreign(version, epoch);
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

namespace {

using domain::Component;

constexpr std::size_t kContents = 8U << 20;  // bytes of all that are kept

bool is_platform(const Component& component, const std::string& line) {
  return component.latest() != nullptr && component.loads.toolchain == line;
}

bool goes_with(const Component& component, const std::string& line,
               const domain::Catalog& catalog) {
  if (component.latest() == nullptr) return false;
  if (component.loads.toolchain) return component.loads.toolchain == line;
  const auto all = catalog.components();
  return std::none_of(all.begin(), all.end(), [&](const Component& other) {
    return is_platform(other, line) &&
           conflict_of({&component, component.latest()}, {&other, other.latest()});
  });
}

}  // namespace

std::shared_ptr<const compile::IncludeOffers> IncludeSupply::newest_offers(const std::string& line,
                                                                           std::uint64_t epoch) {
  if (epoch != epoch_) offers_.clear();
  epoch_ = epoch;
  if (const auto known = offers_.find(line); known != offers_.end()) return known->second;

  const auto catalog = catalog_.catalog(epoch);
  std::vector<const Component*> chosen;
  std::vector<db::VersionName> names;
  for (const Component& component : catalog->components()) {
    if (!goes_with(component, line, *catalog)) continue;
    chosen.push_back(&component);
    names.push_back({component.slug, component.latest()->version});
  }
  const auto files = components_.load_files_below(names, domain::kIncludeFolder);
  auto offers = std::make_shared<compile::IncludeOffers>();
  // As in a build, the later of two components counts.
  for (const Component* component : chosen | std::views::reverse) {
    const auto found = files.find(component->slug);
    if (found == files.end()) continue;
    compile::add_offers(*offers, component->slug, *component->latest(), found->second);
  }
  offers_.emplace(line, offers);
  return offers;
}

compile::ComponentIncludes IncludeSupply::newest(const std::string& line, std::uint64_t epoch) {
  return with(newest_offers(line, epoch));
}

compile::ComponentIncludes IncludeSupply::of(const creator::Selection& selection) {
  auto offers = std::make_shared<compile::IncludeOffers>();
  for (const creator::Selected& selected : selection.components | std::views::reverse) {
    compile::add_offers(*offers, selected.component->slug, *selected.version,
                        selected.version->files);
  }
  return with(offers);
}

compile::ComponentIncludes IncludeSupply::with(
    const std::shared_ptr<const compile::IncludeOffers>& offers) {
  return {offers, [this](const compile::OfferedInclude& include) { return read(include); },
          [this](const compile::OfferedInclude& include, std::string_view content) {
            return names(include, content);
          }};
}

std::vector<std::string> IncludeSupply::names(const compile::OfferedInclude& include,
                                              std::string_view content) const {
  if (!texts_) return pawn::included_names(content);
  return compile::read_named(compile::title_of(include),
                             [&] { return texts_->included_names(content); });
}

std::string IncludeSupply::read(const compile::OfferedInclude& include) {
  const std::string key = include.digest + " " + include.path;
  if (const std::string* known = contents_.find(key)) return *known;
  const archive::ZipReader reader(
      depot_.require(include.component, include.version, include.digest));
  std::string content = reader.read(reader.entry(include.path), pawn::kLargestSource);
  contents_.put(key, content, content.size(), kContents);
  return content;
}

}  // namespace goldsmith::creator
