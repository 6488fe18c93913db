#include "app/domain/natives.hpp"

#include <algorithm>
#include <array>

#include "app/base/text.hpp"

namespace goldsmith::domain {

namespace {

bool is_geoip_database(std::string_view path) {
  // Of AMX Mod X 1.9 and later, and of older ones.
  constexpr std::array<std::string_view, 3> kNames = {"GeoLite2-City.mmdb", "GeoLite2-Country.mmdb",
                                                      "GeoIP.dat"};
  constexpr std::string_view kFolder = "cstrike/addons/amxmodx/data/";
  return path.starts_with(kFolder) &&
         std::find(kNames.begin(), kNames.end(), path.substr(kFolder.size())) != kNames.end();
}

bool has_geoip_database(const ManifestFiles& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const ManifestFile& file) { return is_geoip_database(file.path); });
}

bool is_amxmodx(const ManifestFiles& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const ManifestFile& file) { return file.path == kAmxModXFile; });
}

// Plugins that AMX Mod X itself ships register no natives.
bool has_compiled_plugin(const ManifestFiles& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const ManifestFile& file) { return file.path.ends_with(".amxx"); });
}

// The GeoIP module offers nothing unless it finds its database.
bool is_idle(const ManifestFile& file, bool has_database) {
  return module_of(file.path) == "geoip" && !has_database;
}

bool is_asked_for(const PluginFile& file, const PluginFile* entry) {
  return entry == &file || (entry != nullptr && is_binary_of(file, *entry));
}

}  // namespace

std::optional<std::vector<std::string_view>> offered_natives(
    std::span<const ManifestFiles* const> parts) {
  const bool has_database = std::any_of(parts.begin(), parts.end(), [](const ManifestFiles* files) {
    return has_geoip_database(*files);
  });
  std::vector<std::string_view> natives;
  if (std::none_of(parts.begin(), parts.end(), [](auto* files) { return is_amxmodx(*files); })) {
    return std::nullopt;
  }
  for (const ManifestFiles* files : parts) {
    if (!is_amxmodx(*files) && has_compiled_plugin(*files)) return std::nullopt;
    for (const ManifestFile& file : *files) {
      if (!has_natives(file.path)) continue;
      if (!file.natives || file.natives->empty()) return std::nullopt;
      if (is_idle(file, has_database)) continue;
      natives.insert(natives.end(), file.natives->begin(), file.natives->end());
    }
  }
  std::sort(natives.begin(), natives.end());
  natives.erase(std::unique(natives.begin(), natives.end()), natives.end());
  return natives;
}

std::span<const std::string> natives_of(const ManifestFile& file, const ManifestFiles& files) {
  if (!file.natives || !has_natives(file.path)) return {};
  if (is_idle(file, has_geoip_database(files))) return {};
  return *file.natives;
}

void FileOwners::add(std::string_view path, std::string_view owner) {
  owners_.try_emplace(base::to_lower_ascii(path), owner);
}

std::string_view FileOwners::find(std::string_view path) const {
  const auto found = owners_.find(base::to_lower_ascii(path));
  return found == owners_.end() ? std::string_view() : found->second;
}

void FileOwners::mark(PluginVersion& version) const {
  const PluginFile* entry = entry_point(version);
  for (PluginFile& file : version.files) {
    file.owner = is_asked_for(file, entry) ? std::string_view() : find(path_on_server(file));
  }
}

void FileOwners::remove_foreign(PluginVersion& version) const {
  mark(version);
  std::erase_if(version.files, is_foreign);
}

bool FileOwners::may_concern(const PluginVersion& version) {
  const PluginFile* entry = entry_point(version);
  return std::any_of(version.files.begin(), version.files.end(), [&](const PluginFile& file) {
    return !is_source(file) && !is_asked_for(file, entry);
  });
}

}  // namespace goldsmith::domain
