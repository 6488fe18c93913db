#include "test/unit/catalog/default_catalog.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "app/domain/manifest.hpp"

namespace goldsmith::test {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(GOLDSMITH_SOURCE_DIR) / "db/catalog";

std::vector<domain::Component> read_all() {
  std::vector<domain::Component> all;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / "components")) {
    for (domain::Component& each : domain::read_components(entry.path())) {
      all.push_back(std::move(each));
    }
  }
  return all;
}

std::vector<domain::Component> with_versions(std::vector<domain::Component> all) {
  for (domain::Component& each : all) {
    domain::ComponentVersion version;
    version.version = "1";
    version.digest = std::string(64, 'a');
    for (const std::string& path : known_files(each.slug)) {
      version.files.push_back({path, 1, false});
    }
    each.versions = {version};
  }
  return all;
}

}  // namespace

const std::vector<domain::Component>& components() {
  static const std::vector<domain::Component> all = read_all();
  return all;
}

const domain::Component& component(const domain::Slug& slug) {
  const auto found = std::find_if(components().begin(), components().end(),
                                  [&](const domain::Component& each) { return each.slug == slug; });
  if (found == components().end()) throw std::out_of_range("no component " + slug);
  return *found;
}

const domain::Catalog& mirrored_catalog() {
  static const domain::Catalog catalog(with_versions(components()));
  return catalog;
}

const std::vector<domain::OverlaySection>& sections() {
  static const std::vector<domain::OverlaySection> all =
      domain::read_overlays(kFolder / "overlays/overlays.json");
  return all;
}

std::vector<std::string> known_files(const domain::Slug& slug) {
  // Seen in releases of each; of those that were never unpacked, in their sources.
  static const std::map<domain::Slug, std::vector<std::string>> files = {
      {"regamedll-cs", {"cstrike/game.cfg", "cstrike/game_init.cfg"}},
      {"amxmodx-1-10", {"cstrike/addons/amxmodx/configs/amxx.cfg"}},
      {"amxmodx-1-9", {"cstrike/addons/amxmodx/configs/amxx.cfg"}},
      {"reunion", {"cstrike/addons/reunion/reunion.cfg"}},
      {"yapb", {"cstrike/addons/yapb/conf/yapb.cfg"}}};
  const auto found = files.find(slug);
  return found == files.end() ? std::vector<std::string>() : found->second;
}

}  // namespace goldsmith::test
