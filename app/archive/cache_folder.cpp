#include "app/archive/cache_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <limits>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "app/base/text.hpp"

namespace goldsmith::archive {
namespace {

namespace fs = std::filesystem;
using Time = std::chrono::system_clock::time_point;

Time last_use_of(const struct stat& status) {
  const auto since_epoch = std::chrono::seconds(status.st_atim.tv_sec) +
                           std::chrono::nanoseconds(status.st_atim.tv_nsec);
  return Time(std::chrono::duration_cast<std::chrono::system_clock::duration>(since_epoch));
}

std::chrono::seconds age_of(Time last_use) {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now() - last_use);
}

// A descriptor that holds the file's lock; none if the file no longer has that name, or if its
// builder or another removal holds the lock.
base::UniqueFd try_hold(const fs::path& path) {
  base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) {
    if (errno == ENOENT) return {};
    throw base::FileError(path, "can't be opened", errno);
  }
  if (!try_lock_file(fd.get(), path) || !is_named(fd.get(), path)) return {};
  return fd;
}

struct stat status_of(int fd, const fs::path& path) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) throw base::FileError(path, "can't be examined", errno);
  return status;
}

void set_mode(int fd, mode_t mode, const fs::path& path) {
  if (::fchmod(fd, mode) != 0) throw base::FileError(path, "can't be retired", errno);
}

// Whether the file is open elsewhere: the kernel grants a write lease only on a file that is not.
// Where leases are not available, the time since the last use has to do.
bool is_read_by_others(int fd) {
  // Whoever opens it in this moment would break the lease, which is signalled: by nothing here.
  ::fcntl(fd, F_SETSIG, SIGURG);
  const bool is_free = ::fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
  const int failure = errno;
  if (is_free) ::fcntl(fd, F_SETLEASE, F_UNLCK);
  return !is_free && failure == EAGAIN;
}

}  // namespace

CacheLimits configured_limits(const base::CacheConfig& config, std::uint64_t bytes) {
  return {bytes,         config.free_bytes, config.handover,
          config.unused, config.inodes,     config.free_inodes};
}

void CacheRemoval::unlink(int fd, const fs::path& file) {
  const struct stat status = status_of(fd, file);
  if (::unlink(file.c_str()) != 0) throw base::FileError(file, "can't be removed", errno);
  removed_ += {1, static_cast<std::uint64_t>(status.st_size)};
}

// The file is retired while its use is examined, so that nobody begins to use it unseen.
bool CacheRemoval::remove(const fs::path& file) {
  const base::UniqueFd fd = try_hold(file);
  if (!fd) return false;
  const mode_t mode = status_of(fd.get(), file).st_mode & 07777;
  set_mode(fd.get(), kRetiredMode, file);
  const bool is_recent =
      handover_.count() > 0 && age_of(last_use_of(status_of(fd.get(), file))) < handover_;
  if (wait_ && is_recent) {
    retired_.push_back(file);
    return true;
  }
  if (!wait_ && (is_recent || is_read_by_others(fd.get()))) {
    set_mode(fd.get(), mode, file);
    return false;
  }
  unlink(fd.get(), file);
  return true;
}

bool CacheRemoval::remove_abandoned(const fs::path& file) {
  const base::UniqueFd fd = try_hold(file);
  if (fd) unlink(fd.get(), file);
  return static_cast<bool>(fd);
}

Removed CacheRemoval::finish() {
  if (!retired_.empty()) wait_(handover_);
  for (const fs::path& file : retired_) {
    const base::UniqueFd fd = try_hold(file);
    if (fd && is_retired(status_of(fd.get(), file))) unlink(fd.get(), file);
  }
  retired_.clear();
  return removed_;
}

void CacheFolder::Room::Space::add(const CachedFile& file) {
  bytes += file.bytes;
  if (inodes < std::numeric_limits<std::uint64_t>::max()) ++inodes;
}

void CacheFolder::Room::Space::remove(const CachedFile& file) {
  bytes -= file.bytes;
  --inodes;
}

CacheFolder::Room::Room(const CacheFolder& cache, base::UniqueFd lock, const Wait& wait)
    : cache_(cache),
      lock_(std::move(lock)),
      removal_(cache.limits_.handover, wait),
      available_{base::available_bytes(cache.folder_), base::available_inodes(cache.folder_)} {
  for (CachedFile& file : cache.files()) {
    if (file.kind == CachedFileKind::stray) continue;
    const std::chrono::seconds age = age_of(file.last_use);
    // What a killed builder reserved would count for ever.
    if (file.kind == CachedFileKind::unfinished && age >= cache.format_->longest_writing &&
        removal_.remove_abandoned(file.path)) {
      available_.add(file);
      continue;
    }
    used_.add(file);
    const bool is_in_use = !wait && age < cache.limits_.handover;
    if (file.kind == CachedFileKind::unfinished || is_in_use) continue;
    removable_space_.add(file);
    removable_.push_back(std::move(file));
  }
  std::sort(removable_.begin(), removable_.end(), [](const auto& left, const auto& right) {
    return std::tie(left.last_use, left.path) > std::tie(right.last_use, right.path);
  });
}

std::optional<std::string> CacheFolder::Room::shortage(std::uint64_t bytes) const {
  return shortage(bytes, removable_space_);
}

std::optional<std::string> CacheFolder::Room::shortage(std::uint64_t bytes,
                                                       const Space& removable) const {
  const CacheLimits& limits = cache_.limits_;
  if (used_.bytes - removable.bytes > limits.bytes) {
    return "the cache has " + base::binary_size(used_.bytes - removable.bytes) +
           " in use, more than cache." + cache_.name() + "_mb allows (" +
           base::binary_size(limits.bytes) + ")";
  }
  if (used_.inodes - removable.inodes > limits.inodes) {
    return "the cache has " + std::to_string(used_.inodes - removable.inodes) +
           " files in use, more than cache.inodes allows (" + std::to_string(limits.inodes) + ")";
  }
  const std::uint64_t free_bytes = available_.bytes + removable.bytes;
  if (free_bytes < bytes + limits.free_bytes) {
    return "a file of " + base::binary_size(bytes) + " would leave less than cache.free_mb (" +
           base::binary_size(limits.free_bytes) + ") free on its disk, which has " +
           base::binary_size(free_bytes);
  }
  // Saturated: a file system without a limit has the most that there is.
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t free_inodes =
      available_.inodes > most - removable.inodes ? most : available_.inodes + removable.inodes;
  if (free_inodes < limits.free_inodes) {
    return "fewer than cache.free_inodes (" + std::to_string(limits.free_inodes) +
           ") are free on its disk, which has " + std::to_string(free_inodes);
  }
  return std::nullopt;
}

bool CacheFolder::Room::is_short(std::uint64_t bytes, const Space& spare) const {
  const CacheLimits& limits = cache_.limits_;
  return used_.bytes + bytes + spare.bytes > limits.bytes ||
         used_.inodes + spare.inodes > limits.inodes ||
         available_.bytes < bytes + spare.bytes + limits.free_bytes ||
         available_.inodes < spare.inodes + limits.free_inodes;
}

std::optional<std::string> CacheFolder::Room::make(std::uint64_t bytes, Spare spare) {
  const CacheLimits& limits = cache_.limits_;
  Space more;
  if (spare == Spare::tenth) {
    more = {std::min(used_.bytes, limits.bytes) / 10, std::min(used_.inodes, limits.inodes) / 10};
  }
  for (; !removable_.empty(); removable_.pop_back()) {
    const CachedFile& oldest = removable_.back();
    if (age_of(oldest.last_use) <= limits.unused && !is_short(bytes, more)) break;
    removable_space_.remove(oldest);
    if (!removal_.remove(oldest.path)) continue;
    used_.remove(oldest);
    available_.add(oldest);
  }
  return shortage(bytes, {});
}

std::vector<CachedFile> CacheFolder::files() const {
  std::vector<CachedFile> files;
  std::error_code error;
  fs::directory_iterator entry(folder_, error);
  if (error == std::errc::no_such_file_or_directory) return files;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    files.push_back({path, format_->kind_of(path), static_cast<std::uint64_t>(status.st_size),
                     last_use_of(status)});
  }
  if (error) throw base::FileError(folder_, "can't be listed", error.value());
  std::sort(files.begin(), files.end(),
            [](const CachedFile& left, const CachedFile& right) { return left.path < right.path; });
  return files;
}

base::UniqueFd CacheFolder::lock() const { return lock_folder(folder_); }

Removed CacheFolder::prune(const Wait& wait) const {
  std::error_code error;
  if (!fs::is_directory(folder_, error)) return {};
  Room room(*this, {}, wait);  // without the lock: nobody waits for this
  room.make(0);
  return room.finish();
}

Removed CacheFolder::clear(const Wait& wait) const {
  CacheLimits none = limits_;
  none.unused = std::chrono::seconds::min();
  return CacheFolder(folder_, *format_, none).prune(wait);
}

Removed CacheFolder::remove(const std::vector<fs::path>& files, const Wait& wait) const {
  CacheRemoval removal(limits_.handover, wait);
  for (const fs::path& file : files) removal.remove(file);
  return removal.finish();
}

std::vector<VerifiedFile> CacheFolder::verify() const {
  using State = VerifiedFile::State;
  std::vector<VerifiedFile> verified;
  for (const CachedFile& file : files()) {
    if (file.kind == CachedFileKind::unfinished) continue;
    VerifiedFile found{file.path};
    try {
      if (file.kind == CachedFileKind::stray) {
        found.state = State::stray;
        found.detail = file.path.string() + ": is not a file of goldsmith";
      } else {
        format_->verify(file.path);
      }
    } catch (const ZipError& error) {
      found.state = State::damaged;
      found.detail = error.what();
    } catch (const base::FileError& error) {
      if (error.error_number() == ENOENT) continue;  // removed meanwhile
      throw;
    }
    verified.push_back(std::move(found));
  }
  return verified;
}

}  // namespace goldsmith::archive
