#include "app/creator/resources.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "app/archive/resource_cache.hpp"
#include "app/base/text.hpp"
#include "app/creator/plugin_files.hpp"

namespace goldsmith::creator {
namespace {

constexpr auto kGameFolders = std::to_array<std::string_view>({"cstrike/", "valve/"});
constexpr auto kFolders = std::to_array<std::string_view>(
    {"events/", "gfx/", "maps/", "media/", "models/", "overviews/", "sound/", "sprites/"});
constexpr auto kKinds = std::to_array<std::string_view>(
    {"bmp", "bsp", "mdl", "mp3", "res", "sc", "spr", "tga", "txt", "wad", "wav"});

std::string extension_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == 0 || dot == std::string_view::npos) return "";
  return base::to_lower_ascii(name.substr(dot + 1));
}

bool is_carried(const PlannedFile& file) { return file.size <= archive::ResourceCache::kLargest; }

constexpr std::size_t kMostMissing = 20;  // of each file

// What the build has below a game folder, in lower case.
std::set<std::string> paths_in_game(const Plan& plan) {
  std::set<std::string> paths;
  for (const PlannedFile& file : plan.files) {
    for (const std::string_view folder : kGameFolders) {
      if (!file.path.starts_with(folder)) continue;
      paths.insert(base::to_lower_ascii(std::string_view(file.path).substr(folder.size())));
    }
  }
  return paths;
}

}  // namespace

bool is_resource(std::string_view path) {
  const std::string kind = extension_of(path.substr(path.rfind('/') + 1));
  if (path.find('/') == std::string_view::npos) return kind == "wad";
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end() &&
         std::any_of(kFolders.begin(), kFolders.end(),
                     [&](std::string_view folder) { return path.starts_with(folder); });
}

const PlannedFile* find_resource(const Plan& plan, std::string_view path) {
  if (!is_resource(path)) return nullptr;
  for (const std::string_view folder : kGameFolders) {
    const PlannedFile* file = find_file(plan, std::string(folder).append(path));
    if (file != nullptr && is_carried(*file)) return file;
  }
  return nullptr;
}

std::vector<std::string> resource_paths(const Plan& plan) {
  std::vector<std::string> paths;
  for (const PlannedFile& file : plan.files) {
    for (const std::string_view folder : kGameFolders) {
      if (!file.path.starts_with(folder)) continue;
      std::string path = file.path.substr(folder.size());
      if (find_resource(plan, path) == &file) paths.push_back(std::move(path));
    }
  }
  return paths;
}

Downloads downloads_of(const Plan& plan) {
  Downloads downloads;
  for (const std::string& path : resource_paths(plan)) {
    ++downloads.files;
    downloads.bytes += find_resource(plan, path)->size;
  }
  return downloads;
}

std::vector<std::string> missing_of_list(const Plan& plan, std::string_view list) {
  std::set<std::string> there = paths_in_game(plan);
  std::vector<std::string> missing;
  for (const std::string_view line : base::split(list, '\n')) {
    std::string path = base::to_lower_ascii(base::trim_ascii(line.substr(0, line.find("//"))));
    std::erase(path, '"');
    std::ranges::replace(path, '\\', '/');
    if (!is_resource(path) || is_in_base_game(path) || !there.insert(path).second) continue;
    missing.push_back(std::move(path));
    if (missing.size() == kMostMissing) break;
  }
  return missing;
}

std::vector<MissingFile> missing_wads(const Plan& plan) {
  constexpr std::size_t kMostMaps = 50;
  const std::set<std::string> there = paths_in_game(plan);
  std::vector<MissingFile> missing;
  std::size_t maps = 0;
  const auto add = [&](const std::string& map, const std::vector<std::string>& wads) {
    std::size_t of_map = 0;
    for (const std::string& wad : wads) {
      if (there.contains(wad) || is_in_base_game(wad) || of_map == kMostMissing) continue;
      if (of_map++ == 0 && maps++ >= kMostMaps) return;
      missing.push_back({map, wad});
    }
  };
  for (std::size_t component = 0; component < plan.selection.components.size(); ++component) {
    for (const auto& file : plan.selection.components[component].version->files) {
      if (!file.natives || file.natives->empty() || !domain::is_map(file.path)) continue;
      const PlannedFile* planned = find_file(plan, file.path);
      const auto* from =
          planned == nullptr ? nullptr : std::get_if<PlannedFile::FromDepot>(&planned->source);
      if (from == nullptr || from->component != component) continue;
      add(file.path, *file.natives);
    }
  }
  for (const PlannedFile& file : plan.files) {
    const auto* from = std::get_if<PlannedFile::FromPlugin>(&file.source);
    if (from != nullptr) add(file.path, from->wads);
  }
  return missing;
}

}  // namespace goldsmith::creator
