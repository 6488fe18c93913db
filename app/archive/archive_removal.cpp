#include "app/archive/archive_removal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "app/archive/archive_lock.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::archive {
namespace {

// A descriptor that holds the file's lock; none if the file no longer has that name, or if its
// builder or another removal holds the lock.
sys::UniqueFd try_hold(const std::filesystem::path& path) {
  sys::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) {
    if (errno == ENOENT) return {};
    throw sys::FileError(path, "can't be opened", errno);
  }
  if (!try_lock_file(fd.get(), path) || !is_named(fd.get(), path)) return {};
  return fd;
}

struct stat status_of(int fd, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw sys::FileError(path, "can't be examined", errno);
  return status;
}

std::chrono::seconds unused_for(const struct stat& status) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  // Rounded down, which is the safe side.
  return std::chrono::duration_cast<std::chrono::seconds>(now) -
         std::chrono::seconds(status.st_atim.tv_sec + (status.st_atim.tv_nsec > 0 ? 1 : 0));
}

void unlink_or_throw(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0) throw sys::FileError(path, "can't be removed", errno);
}

void set_mode(int fd, mode_t mode, const std::filesystem::path& path) {
  if (::fchmod(fd, mode) != 0) throw sys::FileError(path, "can't be retired", errno);
}

// Whether the file is open elsewhere: the kernel grants a write lease only on a file that is not.
// Where leases are not to be had, the time since the last use has to do.
bool is_read_by_others(int fd) {
  // Whoever opens it in this moment would break the lease, which is signalled: by nothing here.
  ::fcntl(fd, F_SETSIG, SIGURG);
  const bool is_free = ::fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
  const int failure = errno;
  if (is_free) ::fcntl(fd, F_SETLEASE, F_UNLCK);
  return !is_free && failure == EAGAIN;
}

}  // namespace

void ArchiveRemoval::begin(const std::filesystem::path& archive) {
  const sys::UniqueFd fd = try_hold(archive);
  if (!fd) return;
  set_mode(fd.get(), kRetiredMode, archive);
  // Only now: from here on it is not handed out without its time of use showing that.
  const struct stat status = status_of(fd.get(), archive);
  if (unused_for(status) < handover_) {
    retired_.push_back(archive);
    return;
  }
  remove(archive, static_cast<std::uint64_t>(status.st_size));
}

std::chrono::seconds ArchiveRemoval::time_to_wait() const {
  return retired_.empty() ? std::chrono::seconds(0) : handover_;
}

void ArchiveRemoval::finish() {
  for (const std::filesystem::path& archive : retired_) {
    const sys::UniqueFd fd = try_hold(archive);
    if (!fd) continue;
    const struct stat status = status_of(fd.get(), archive);
    if (!is_retired(status)) continue;  // built again
    remove(archive, static_cast<std::uint64_t>(status.st_size));
  }
  retired_.clear();
}

void ArchiveRemoval::remove(const std::filesystem::path& archive, std::uint64_t bytes) {
  unlink_or_throw(archive);
  ++removed_.files;
  removed_.bytes += bytes;
}

// Retired while it is looked at, so that nobody hands it out unseen.
bool remove_if_idle(const std::filesystem::path& archive, std::chrono::seconds handover) {
  const sys::UniqueFd fd = try_hold(archive);
  if (!fd) return false;
  const mode_t mode = status_of(fd.get(), archive).st_mode & 07777;
  set_mode(fd.get(), kRetiredMode, archive);
  if (unused_for(status_of(fd.get(), archive)) < handover || is_read_by_others(fd.get())) {
    set_mode(fd.get(), mode, archive);
    return false;
  }
  unlink_or_throw(archive);
  return true;
}

bool remove_abandoned_part(const std::filesystem::path& part) {
  const sys::UniqueFd fd = try_hold(part);
  if (!fd) return false;
  unlink_or_throw(part);
  return true;
}

}  // namespace goldsmith::archive
