#include "app/archive/cached_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <system_error>
#include <tuple>

#include "app/sys/file.hpp"

namespace goldsmith::archive {
namespace {

namespace fs = std::filesystem;

std::chrono::system_clock::time_point last_use(const struct stat& status) {
  const auto since_epoch = std::chrono::seconds(status.st_atim.tv_sec) +
                           std::chrono::nanoseconds(status.st_atim.tv_nsec);
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(since_epoch));
}

}  // namespace

std::vector<CachedFile> cached_files(const fs::path& folder) {
  std::vector<CachedFile> files;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return files;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    struct stat status {};
    if (::lstat(entry->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    files.push_back({entry->path(), static_cast<std::uint64_t>(status.st_size), last_use(status)});
  }
  if (error) throw sys::FileError(folder, "can't be listed", error.value());
  std::sort(files.begin(), files.end(),
            [](const CachedFile& left, const CachedFile& right) { return left.path < right.path; });
  return files;
}

std::vector<CachedFile> select_evictions(std::vector<CachedFile> files, const CacheBounds& bounds) {
  std::sort(files.begin(), files.end(), [](const CachedFile& left, const CachedFile& right) {
    return std::tie(left.last_use, left.path) < std::tie(right.last_use, right.path);
  });
  std::uint64_t left =
      std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const CachedFile& file) { return sum + file.bytes; });
  std::uint64_t gone = 0;
  const auto first_to_stay = std::find_if(files.begin(), files.end(), [&](const CachedFile& file) {
    const bool stays =
        file.last_use >= bounds.used_since && left <= bounds.bytes && gone >= bounds.bytes_short;
    left -= file.bytes;
    gone += file.bytes;
    return stays;
  });
  files.erase(first_to_stay, files.end());
  return files;
}

}  // namespace goldsmith::archive
