#include "app/archive/archive_lock.hpp"

#include <sys/file.h>

#include <cerrno>

#include "app/sys/file.hpp"

namespace goldsmith::archive {

void lock_file(int fd, const std::filesystem::path& path) {
  while (::flock(fd, LOCK_EX) != 0) {
    if (errno != EINTR) throw sys::FileError(path, "can't be locked", errno);
  }
}

bool try_lock_file(int fd, const std::filesystem::path& path) {
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw sys::FileError(path, "can't be locked", errno);
  }
  return true;
}

sys::UniqueFd lock_folder(const std::filesystem::path& folder) {
  sys::UniqueFd fd = sys::open_file(folder, O_RDONLY | O_DIRECTORY);
  lock_file(fd.get(), folder);
  return fd;
}

bool is_named(int fd, const std::filesystem::path& path) {
  struct stat held{};
  struct stat named{};
  if (::fstat(fd, &held) != 0) throw sys::FileError(path, "can't be examined", errno);
  return ::lstat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

}  // namespace goldsmith::archive
