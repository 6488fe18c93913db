// Manifests of what was scanned, with the files that they name, and the folders that have them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/base/held_folder.hpp"
#include "app/base/json.hpp"
#include "app/domain/names.hpp"
#include "app/scan/record.hpp"
#include "app/scan/scanned_plugin.hpp"

namespace goldsmith::scan {

struct ManifestOptions {
  std::string category;  // "" = what was derived, or else general
  bool is_published = false;
};

// The manifest of one, with files beside it.
json::Object manifest_of(const ScannedPlugin& plugin, const ManifestOptions& options);

// The files that it names, by path: each is read when it is called, which throws base::FileError.
// They must not outlive the plugin.
using Contents = std::map<std::string, std::function<std::string()>>;
Contents files_beside(const ScannedPlugin& plugin);

// Writes those that compile to folders of their slugs. A folder in which a person has changed
// something is left as it is; where the scan would write something else than last time, that is
// in its folder `proposed`. Returns what a person should know, as sentences. Updates the record.
// Throws base::FileError.
std::vector<std::string> write_manifests(const base::HeldFolder& folder,
                                         const ScannedPlugins& plugins,
                                         const ManifestOptions& options, ScanRecord& record);
// Writes FOLDER/addon.json, a pack of those that are ready. Returns what a person should know, ""
// for nothing: one that was edited stays, and addon.json.proposed is written. Throws
// base::FileError.
std::string write_pack(const base::HeldFolder& folder, const ScannedPlugins& plugins,
                       const domain::Slug& pack, bool is_published, ScanRecord& record);

}  // namespace goldsmith::scan
