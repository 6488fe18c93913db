// From an upstream release archive to a canonical depot ZIP (decision S14). libarchive is behind
// this.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/domain/component.hpp"
#include "app/sys/config.hpp"

namespace goldsmith::mirror {

// The archive is refused whole; what() names the file, the entry and the reason.
class RefusedArchive : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Normalised {
  std::uint64_t upstream_bytes = 0;  // of all the archives
  std::string digest;                // SHA-256 hex of the canonical ZIP
  std::vector<domain::ManifestFile> files;
  std::uint64_t dropped = 0;  // by rule, name or content
};

// Reads zip, tar.gz, tar.xz and 7z `archives` in order (a later one replaces a path of an earlier
// one), applies `rules`, and writes the canonical ZIP to `target`, which must be on the depot's
// file system. Throws RefusedArchive (also when nothing is left) and sys::FileError; `target` may
// then hold a part and is the caller's to remove.
Normalised normalise(const std::vector<std::filesystem::path>& archives,
                     const domain::InstallRules& rules, const sys::MirrorConfig& limits,
                     const std::filesystem::path& target);

// Glob match: `*` and `?` stop at '/', `**` does not; a pattern without '/' matches the last part
// of a path at any depth. Apart for tests.
bool matches_glob(std::string_view pattern, std::string_view path);

}  // namespace goldsmith::mirror
