// The files of a cache folder, and which of them exceed its bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace goldsmith::archive {

struct CachedFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::chrono::system_clock::time_point last_use;
};

// The regular files directly in the folder, sorted by path; empty if the folder does not exist.
// Leaves out files that are removed while the folder is read. Throws sys::FileError.
std::vector<CachedFile> cached_files(const std::filesystem::path& folder);

struct CacheBounds {
  std::uint64_t bytes = 0;                           // limit of all files together
  std::chrono::system_clock::time_point used_since;  // files not used since then are evicted
  std::uint64_t bytes_short = 0;  // to be freed in any case, because the disk is too full
};

// The files to remove so that the rest is within the bounds, the least recently used first.
std::vector<CachedFile> select_evictions(std::vector<CachedFile> files, const CacheBounds& bounds);

}  // namespace goldsmith::archive
