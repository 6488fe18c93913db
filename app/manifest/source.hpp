// Where a plugin's files come from: a folder or a .zip of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "app/manifest/fields.hpp"
#include "app/manifest/manifest.hpp"

namespace goldsmith::manifest {

// Larger plugin files are refused (decision P12).
inline constexpr std::uint64_t kSourceLimit = 1U << 20;
// The name of a plugin's manifest.
inline constexpr const char* kPluginManifest = "plugin.json";

class Source {
 public:
  virtual ~Source() = default;
  // Where the manifest is, for messages.
  virtual std::string manifest_name() const = 0;
  virtual std::string read_manifest() const = 0;
  // The file at `path`, relative to the manifest: names joined by `/`, none of them `.` or `..`.
  // Refused at `node`, which holds the path: a missing file, a link, a folder, a file that is too
  // large.
  virtual std::string read(const std::string& path, const Node& node) const = 0;
};

// Throws ManifestError if `path` is not a folder, a .json or a .zip file.
std::unique_ptr<Source> open_source(const std::filesystem::path& path, const PluginTools& tools);

// That of the files of a .zip; open_source() chooses.
std::unique_ptr<Source> zip_source(const std::filesystem::path& file, PluginTools::Files files);

}  // namespace goldsmith::manifest
