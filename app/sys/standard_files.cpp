#include "app/sys/standard_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace goldsmith::sys {

bool open_standard_files() {
  const bool has_output = ::fcntl(STDOUT_FILENO, F_GETFD) != -1;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free number is this one: those below are open by now. Without /dev/null nothing
    // that follows is safe.
    if (::open("/dev/null", O_RDWR) != descriptor) std::abort();
  }
  return has_output;
}

bool is_reader_gone(int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return false;
  if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)) return false;
  struct pollfd writable{descriptor, POLLOUT, 0};
  return ::poll(&writable, 1, 0) == 1 && (writable.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace goldsmith::sys
