// What `goldsmith plugin scan` found, plugin by plugin.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/json/value.hpp"
#include "app/scan/facts.hpp"
#include "app/scan/heap.hpp"

namespace goldsmith::cli {

struct ScannedPlugin {
  std::string path;  // of the source
  domain::Slug slug;
  scan::SourceFacts facts;
  scan::Prose prose;  // of a README, or of the source
  domain::PluginVersion version;
  std::vector<std::string> questions;
  std::vector<std::string> notes;
  std::map<std::string, std::string> results;  // toolchain -> "ok", "failed" or "unknown"
  std::string toolchain;                       // the newest that compiles it; "" = none does
  std::string why;                             // it does not compile
  std::string refused;                         // why it was not read; the rest is empty then

  std::string name() const;   // as the manifest has it
  std::string state() const;  // "ready", "questions", "fails", "refused" or "no plugin"
};

// The manifest of one, with files beside it.
json::Object manifest_of(const ScannedPlugin& plugin, const std::string& category);
// Where the manifest expects the file, relative to its folder.
std::string place_of(const domain::PluginFile& file);

// Writes those that compile to folders of their slugs. One that a person has changed since is left
// as it is; where the scan would write something else, it is written to plugin.json.proposed.
// Returns what a person should know, as sentences. Throws sys::FileError.
std::vector<std::string> write_manifests(const std::filesystem::path& folder,
                                         const std::vector<ScannedPlugin>& plugins,
                                         const std::string& category);
// Writes FOLDER/addon.json, a pack of those that are ready. Returns what a person should know, ""
// for nothing: one that is there stays, and addon.json.proposed is written. Throws sys::FileError.
std::string write_pack(const std::filesystem::path& folder,
                       const std::vector<ScannedPlugin>& plugins, const domain::Slug& pack);
// The slugs that earlier scans gave to sources, by path.
std::map<std::string, std::string> known_slugs(const std::filesystem::path& folder);

}  // namespace goldsmith::cli
