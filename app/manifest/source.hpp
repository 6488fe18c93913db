// Where a plugin's files come from: a folder or a .zip of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "app/manifest/fields.hpp"

namespace goldsmith::manifest {

// Larger plugin files are refused (decision P12).
inline constexpr std::uint64_t kSourceLimit = 1U << 20;

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
std::unique_ptr<Source> open_source(const std::filesystem::path& path);

// That of a .zip file; open_source() chooses.
std::unique_ptr<Source> open_zip(const std::filesystem::path& file);

}  // namespace goldsmith::manifest
