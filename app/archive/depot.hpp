// The depot: one canonical ZIP per component version, `<root>/<slug>/<version>.zip`. An operator
// can open the files with any ZIP tool. Each is published completely and never changed in place.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/domain/component.hpp"
#include "app/domain/identifiers.hpp"

namespace goldsmith::archive {

// The ZIP comment of a depot file. `digest`: the SHA-256, in hex, of all bytes up to the end of the
// central directory. It tells a build whether the file is the mirrored version that was planned,
// and verifying needs nothing but the file.
std::string depot_comment(std::string_view digest);

// Ends `writer`, whose file is `fd`, as a depot file; returns its digest. Throws as ZipWriter does.
std::string finish_depot_file(ZipWriter& writer, int fd, const std::filesystem::path& path);

// A depot file that was read completely.
struct VerifiedDepotFile {
  std::string digest;
  std::vector<domain::ManifestFile> files;  // in file order, with their SHA-256
};

// Throws ZipError if the file is damaged, and sys::FileError.
VerifiedDepotFile verify_depot_file(const std::filesystem::path& path);

class Depot {
 public:
  explicit Depot(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  // Where the version is stored; the file need not exist.
  std::filesystem::path file_of(const domain::Slug& slug, const domain::Version& version) const;

  // Renames `temporary`, a finished file on the same file system, to the version's file: readable
  // by everybody, synced to disk, replacing an older file. Throws sys::FileError; `temporary` and
  // the older file then stay.
  void publish(const std::filesystem::path& temporary, const domain::Slug& slug,
               const domain::Version& version) const;
  // Does nothing if the file does not exist. Throws sys::FileError.
  void remove(const domain::Slug& slug, const domain::Version& version) const;

 private:
  std::filesystem::path root_;
};

}  // namespace goldsmith::archive
