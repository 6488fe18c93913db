// Room for a new archive, made before it is built (decision S18), so that the cache keeps its size
// and the disk its free space also within a minute of distinct builds.
//
// What counts is every archive in the folder, at the size that it has or, while it is being built,
// will have: a builder reserves that in its `.part`. The least recently used ones go first; those
// that were handed out a moment ago or are being read stay. Private to app/archive/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/archive/archive_cache.hpp"
#include "app/archive/cached_files.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::archive {

class ArchiveRoom {
 public:
  // Looks at the folder. Builders make room one after the other: each waits here for the last one,
  // milliseconds, as long as such an object lives. Throws sys::FileError.
  ArchiveRoom(const std::filesystem::path& folder, const CacheRoom& bounds);

  // Why an archive of `bytes` has no room, even if all went that may go; std::nullopt = it has. The
  // cache may exceed its size by the new archive, so that one that is larger than the cache can be
  // built, too.
  std::optional<std::string> shortage(std::uint64_t bytes) const;

  // Removes what has to go, so that the cache keeps its size with the new archive where that can
  // be, and reserves `bytes` on the disk for the empty file `part`. The result is as above. Throws
  // sys::FileError.
  std::optional<std::string> reserve(std::uint64_t bytes, int part,
                                     const std::filesystem::path& part_path);

 private:
  std::optional<std::string> shortage(std::uint64_t bytes, std::uint64_t removable) const;
  bool evict_oldest();

  std::filesystem::path folder_;
  CacheRoom bounds_;
  sys::UniqueFd lock_;  // the folder's
  std::uint64_t used_ = 0;
  std::uint64_t idle_bytes_ = 0;
  std::vector<CachedFile> idle_;  // archives that may go, the least recently used last
};

}  // namespace goldsmith::archive
