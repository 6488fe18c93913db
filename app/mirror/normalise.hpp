// From an upstream release archive to a canonical depot ZIP (decision S14). The archives are read
// in a sandbox, by a process without rights (unpacker.hpp); this process sees what came out of it,
// checks it, and makes the depot file (depot_copy.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/domain/component.hpp"
#include "app/mirror/unpacker.hpp"
#include "app/sys/config.hpp"

namespace goldsmith::mirror {

struct Normalised {
  std::uint64_t upstream_bytes = 0;         // of all the archives
  std::string digest;                       // of the canonical ZIP, see archive/depot.hpp
  std::vector<domain::ManifestFile> files;  // by path; with their natives
  std::vector<domain::FileOrigin> origins;  // of the files; a source is the number of an archive
  std::uint64_t dropped = 0;                // files left out by rule, map, name or content
};

// Reads zip, tar, tar.gz, tar.xz and 7z `archives` in order (a later one replaces a path of an
// earlier one; the limits count for all together), applies `rules`, and writes the canonical ZIP to
// `target`, which must be on the depot's file system: entries by path, deflated at level 9, one
// time stamp, a depot file's comment. Equal archives and rules give equal bytes. Every entry is
// read to its end and must be safe, dropped ones too. Memory use does not depend on the size of the
// archives: files pass through a temporary folder beside `target`. Links to archives are followed
// as open_named() follows them. Throws RefusedArchive (also if no file is left), UnpackError,
// sys::FileError and sys::Interrupted; `target` may then be incomplete, and the caller removes it.
//
// A map's `from` ends in "/" or is "" (every path) = a folder, else it is a whole path; a file
// mapped to a `to` that ends in "/" keeps its name there.
Normalised normalise(const std::vector<std::filesystem::path>& archives,
                     const domain::InstallRules& rules, const sys::MirrorConfig& limits,
                     const std::filesystem::path& target,
                     const std::filesystem::path& program = unpack_program());

// An archive that is open for reading. `path`: for messages.
struct OpenArchive {
  const sys::UniqueFd& file;
  std::filesystem::path path;
};
// Normalises archives that somebody holds open.
Normalised normalise(const std::vector<OpenArchive>& archives, const domain::InstallRules& rules,
                     const sys::MirrorConfig& limits, const std::filesystem::path& target);

// Adds their natives to `files`, those of a depot file that was made before these were taken. Needs
// as much room among the temporary files as the depot file has. Throws as normalise() does.
void add_natives(const std::filesystem::path& depot_file, const sys::MirrorConfig& limits,
                 std::vector<domain::ManifestFile>& files);

}  // namespace goldsmith::mirror
