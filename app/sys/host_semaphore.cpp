#include "app/sys/host_semaphore.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "app/sys/shared_file.hpp"

namespace goldsmith::sys {

HostSemaphore::HostSemaphore(const std::filesystem::path& file)
    : path_(file), file_(open_shared(file, OpenShared::create)) {}

// Open file description locks belong to the descriptor, not to the process: closing another
// descriptor of the file does not drop them.
bool HostSemaphore::lock(std::size_t at, short type) const {
  struct flock byte{};
  byte.l_type = type;
  byte.l_whence = SEEK_SET;
  byte.l_start = static_cast<off_t>(at);
  byte.l_len = 1;
  while (::fcntl(file_.get(), F_OFD_SETLK, &byte) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINTR) throw FileError(path_, "lock a slot", errno);
  }
  return true;
}

std::optional<HostSemaphore::Hold> HostSemaphore::try_acquire(std::size_t row, std::size_t count) {
  const std::size_t first = row * kMost;
  for (std::size_t at = first; at < first + std::min(count, kMost); ++at) {
    if (held_.contains(at) || !lock(at, F_WRLCK)) continue;
    held_.insert(at);
    return Hold(*this, at);
  }
  return std::nullopt;
}

void HostSemaphore::release(std::size_t at) {
  held_.erase(at);
  // Unlocking what is locked can't fail; if it did, the slot would be free when this process ends.
  try {
    lock(at, F_UNLCK);
  } catch (const FileError&) {
  }
}

}  // namespace goldsmith::sys
