// A recipe whose depot files are open: all that it needs is there, and how large its archive will
// be is known before it is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"

namespace goldsmith::archive {

class PreparedArchive {
 public:
  // Refers to `recipe`, which must live as long. Throws ZipError (a depot file is missing, damaged,
  // changed or lacks a path) and sys::FileError.
  explicit PreparedArchive(const Recipe& recipe);

  // No less than the archive has in the end, and at most some bytes an entry more.
  std::uint64_t size() const { return size_; }

  // Writes the archive to `fd` (see ZipWriter): the entries of each depot file, unchanged and in
  // its order, then the inline and the streamed entries by path, then a new central directory.
  // Throws ZipError if a depot file is damaged, sys::FileError, and what reading the streamed
  // entries throws.
  void write(int fd, const std::filesystem::path& path_for_messages) const;

 private:
  const Recipe& recipe_;
  // All open at once, so that a version that is removed from the depot meanwhile does not end a
  // build halfway.
  std::vector<ZipReader> readers_;
  std::vector<std::vector<const ZipEntry*>> picked_;  // of each depot file, in its order
  std::uint64_t size_ = 0;
};

}  // namespace goldsmith::archive
