// What came out of the sandbox, checked: the files, made a depot file, and their origins. Nothing
// that a process in the sandbox had open is published.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/sys/config.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::mirror {

// The ZIP breaks a rule that goldsmith-unpack keeps: it is faulty, or was taken over.
class InvalidOutput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Copies the entries of `unpacked`, a ZIP of untrusted content, without recompression to a new
// depot file, after checking that they are in the canonical order, safe, distinct, and within the
// limits, and reads the new file completely. Throws InvalidOutput and sys::FileError; `target` may
// then be incomplete.
archive::VerifiedDepotFile copy_to_depot_file(sys::UniqueFd unpacked,
                                              const sys::MirrorConfig& limits,
                                              const std::filesystem::path& target);

// Reads the lines of goldsmith-unpack, untrusted text: "NUMBER PATH", from where in its archives
// each file comes, and for files with natives a tab and their names. There is one for each of
// `files`, NUMBER is below `archives`. Returns the origins and adds the natives to the files.
// Throws InvalidOutput and sys::FileError. (origins.cpp)
std::vector<domain::FileOrigin> read_origins(const sys::UniqueFd& fd,
                                             std::vector<domain::ManifestFile>& files,
                                             std::size_t archives, const sys::MirrorConfig& limits);

}  // namespace goldsmith::mirror
