#include "app/sys/seats.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace goldsmith::sys {

Seats::Seats(const std::filesystem::path& file)
    : path_(file), file_(open_file(file, O_RDWR | O_CREAT, 0660)) {
  // Whatever the umask; only the maker may, and the file may be another user's of the group.
  static_cast<void>(::fchmod(file_.get(), 0660));
}

// Open file description locks: they are the descriptor's, not the process', so that another one
// that opens and closes the file by chance does not drop them.
bool Seats::lock(std::size_t at, short type) const {
  struct flock byte {};
  byte.l_type = type;
  byte.l_whence = SEEK_SET;
  byte.l_start = static_cast<off_t>(at);
  byte.l_len = 1;
  while (::fcntl(file_.get(), F_OFD_SETLK, &byte) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINTR) throw FileError(path_, "lock a seat", errno);
  }
  return true;
}

std::optional<Seats::Seat> Seats::take(std::size_t row, std::size_t count) {
  const std::size_t first = row * kMost;
  for (std::size_t at = first; at < first + std::min(count, kMost); ++at) {
    if (held_.contains(at) || !lock(at, F_WRLCK)) continue;
    held_.insert(at);
    return Seat(*this, at);
  }
  return std::nullopt;
}

void Seats::give_back(std::size_t at) {
  held_.erase(at);
  // Unlocking what is locked can't fail; if it did, the seat would be free when this process ends.
  try {
    lock(at, F_UNLCK);
  } catch (const FileError&) {
  }
}

}  // namespace goldsmith::sys
