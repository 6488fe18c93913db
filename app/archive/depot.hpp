// The depot: one canonical ZIP a component version, `<root>/<slug>/<version>.zip`. Plain files that
// an operator can look into; each is published whole and never changed in place.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/archive/zip.hpp"

namespace goldsmith::archive {

// A depot file ends in a comment that names its digest: SHA-256, as hex, of all bytes from its
// first to the last of its central directory. So a build sees at once whether it holds the mirrored
// version that was planned, and verifying needs nothing but the file.
std::string depot_comment(std::string_view digest);

// Finishes `writer`, whose file is `fd`, as a depot file; returns its digest.
std::string finish_depot_file(ZipWriter& writer, int fd, const std::filesystem::path& path);

// Reads all of a depot file and returns its digest. Throws ZipError when the file is damaged in any
// way, and sys::FileError.
std::string verify_depot_file(const std::filesystem::path& path);

class Depot {
 public:
  explicit Depot(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  // Throws std::invalid_argument for what is no legal slug or version (decision R15).
  std::filesystem::path file_of(std::string_view slug, std::string_view version) const;

  // Renames a finished temporary (on the same file system) into its place, readable for all and
  // synced; a version that was there is replaced. On FileError the temporary and the old file stay.
  void publish(const std::filesystem::path& temporary, std::string_view slug,
               std::string_view version) const;
  // A missing file is no error.
  void remove(std::string_view slug, std::string_view version) const;

 private:
  std::filesystem::path root_;
};

}  // namespace goldsmith::archive
