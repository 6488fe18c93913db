#include "app/archive/archive_room.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "app/archive/archive_lock.hpp"
#include "app/archive/archive_removal.hpp"

namespace goldsmith::archive {
namespace {

namespace fs = std::filesystem;

std::string megabytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

// False when the disk is full.
bool allocate(int fd, std::uint64_t bytes, const fs::path& path) {
  const auto size = static_cast<off_t>(bytes);
  while (::fallocate(fd, 0, 0, size) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOSPC || errno == EDQUOT) return false;
    if (errno != EOPNOTSUPP && errno != ENOSYS) throw sys::FileError(path, "reserve room", errno);
    // Others then see at least what it will have.
    if (::ftruncate(fd, size) != 0) throw sys::FileError(path, "reserve room", errno);
    return true;
  }
  return true;
}

}  // namespace

ArchiveRoom::ArchiveRoom(const fs::path& folder, const CacheRoom& bounds)
    : folder_(folder), bounds_(bounds), lock_(lock_folder(folder)) {
  const auto now = std::chrono::system_clock::now();
  for (CachedFile& file : cached_files(folder_)) {
    const bool is_finished = build_hash_of(file.path).has_value();
    const bool is_part =
        file.path.extension() == ".part" && build_hash_of(folder_ / file.path.stem()).has_value();
    // What a killed builder reserved would count for ever.
    if (is_part && remove_abandoned_part(file.path)) continue;
    if (is_finished || is_part) used_ += file.bytes;
    if (!is_finished || now - file.last_use < bounds_.handover) continue;
    idle_bytes_ += file.bytes;
    idle_.push_back(std::move(file));
  }
  std::sort(idle_.begin(), idle_.end(), [](const CachedFile& left, const CachedFile& right) {
    return left.last_use > right.last_use;
  });
}

std::optional<std::string> ArchiveRoom::shortage(std::uint64_t bytes) const {
  return shortage(bytes, idle_bytes_);
}

std::optional<std::string> ArchiveRoom::shortage(std::uint64_t bytes,
                                                 std::uint64_t removable) const {
  if (used_ - removable > bounds_.bytes) {
    return "the archive cache has " + megabytes(used_ - removable) +
           " in use, more than cache.archives_mb allows (" + megabytes(bounds_.bytes) + ")";
  }
  const std::uint64_t available = sys::available_bytes(folder_) + removable;
  if (available < bytes + bounds_.free_bytes) {
    return "an archive of " + megabytes(bytes) + " would leave less than cache.free_mb (" +
           megabytes(bounds_.free_bytes) + ") free on its disk, which has " + megabytes(available);
  }
  return std::nullopt;
}

// False when none is left that may go.
bool ArchiveRoom::evict_oldest() {
  while (!idle_.empty()) {
    const CachedFile file = std::move(idle_.back());
    idle_.pop_back();
    idle_bytes_ -= file.bytes;
    if (!remove_if_idle(file.path, bounds_.handover)) continue;
    used_ -= file.bytes;
    return true;
  }
  return false;
}

std::optional<std::string> ArchiveRoom::reserve(std::uint64_t bytes, int part,
                                                const fs::path& part_path) {
  while ((used_ + bytes > bounds_.bytes || shortage(bytes, 0)) && evict_oldest()) {
  }
  if (auto reason = shortage(bytes, 0)) return reason;
  if (!allocate(part, bytes, part_path)) {
    return "no room for an archive of " + megabytes(bytes) + " on the cache's disk";
  }
  return std::nullopt;
}

}  // namespace goldsmith::archive
