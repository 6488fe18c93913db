// What is in the folder of a cache, and what of it is too much.
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

// The regular files directly in the folder, by path; none when it is missing. Files come and go
// while it is read: one that is gone by then is left out. Throws sys::FileError.
std::vector<CachedFile> cached_files(const std::filesystem::path& folder);

struct CacheBounds {
  std::uint64_t bytes = 0;                           // that all files may have together
  std::chrono::system_clock::time_point used_since;  // what was not goes
  std::uint64_t bytes_short = 0;  // that have to go in any case: the disk is too full
};

// What has to go to keep the bounds, the least recently used first.
std::vector<CachedFile> select_evictions(std::vector<CachedFile> files, const CacheBounds& bounds);

}  // namespace goldsmith::archive
