// The socket on which workers get requests (server.hpp).
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/web/server.hpp"

namespace goldsmith::web {

namespace {

constexpr int kBacklog = 512;  // same as nginx and systemd
constexpr mode_t kSocketMode = 0660;

bool is_listening(int fd) {
  int listening = 0;
  socklen_t size = sizeof listening;
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening != 0;
}

sockaddr_un address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& text = path.native();
  if (text.size() >= sizeof address.sun_path) {
    throw std::runtime_error(
        fmt::format("socket {}: the path has {} bytes; the maximum for a socket is {}", text,
                    text.size(), sizeof address.sun_path - 1));
  }
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

// The sockets API uses one address type for all families.
const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

base::UniqueFd unix_socket(const std::filesystem::path& path) {
  base::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) throw base::FileError(path, "create a socket", errno);
  return fd;
}

// A killed worker leaves its socket behind, on which nobody listens.
void remove_stale(const std::filesystem::path& path, const sockaddr_un& address) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) return;
  if (!S_ISSOCK(status.st_mode)) {
    throw std::runtime_error("socket " + path.native() +
                             ": the path exists and is not a socket; choose another path");
  }
  const base::UniqueFd probe = unix_socket(path);
  // EAGAIN means a full backlog: a process does listen.
  if (connect(probe.get(), generic(address), sizeof address) == 0 || errno != ECONNREFUSED) {
    throw std::runtime_error(
        "socket " + path.native() +
        ": another process is listening on it; stop it or choose another path");
  }
  if (unlink(path.c_str()) != 0) throw base::FileError(path, "remove the stale socket", errno);
}

// The workers of a pool share the descriptor's flags, and systemd takes O_NONBLOCK off whenever it
// starts one of them. The time-out belongs to the socket and stays: without it a worker that loses
// a connection to another one in that moment would wait in accept(2) for the next, deaf to signals.
void make_non_blocking(int fd) {
  const timeval soon{0, 1000};
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon) != 0) {
    throw base::FileError("descriptor 0", "make non-blocking", errno);
  }
}

}  // namespace

Listener::Listener(base::UniqueFd fd, std::filesystem::path path)
    : fd_(std::move(fd)), path_(std::move(path)), named_(!path_.empty()) {}

Listener Listener::inherited() {
  if (!is_listening(STDIN_FILENO)) {
    throw std::runtime_error(
        "descriptor 0 is not a listening socket: start the worker through its systemd socket, or "
        "use --socket PATH");
  }
  base::UniqueFd fd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!fd) throw base::FileError("descriptor 0", "duplicate", errno);
  const base::UniqueFd null = base::open_file("/dev/null", O_RDONLY);
  if (dup2(null.get(), STDIN_FILENO) < 0) throw base::FileError("descriptor 0", "replace", errno);
  make_non_blocking(fd.get());
  return Listener(std::move(fd), {});
}

Listener Listener::create(const std::filesystem::path& path) {
  const sockaddr_un address = address_of(path);
  remove_stale(path, address);
  base::UniqueFd fd = unix_socket(path);
  if (bind(fd.get(), generic(address), sizeof address) != 0) {
    throw base::FileError(path, "bind the socket", errno);
  }
  Listener listener(std::move(fd), path);
  // Nobody can connect before listen(), so the wider default permissions are never usable.
  if (chmod(path.c_str(), kSocketMode) != 0) throw base::FileError(path, "set the mode", errno);
  if (listen(listener.fd(), kBacklog) != 0) throw base::FileError(path, "listen", errno);
  return listener;
}

bool Listener::withdraw() {
  if (path_.empty()) return false;
  if (named_) unlink(path_.c_str());
  named_ = false;
  return true;
}

}  // namespace goldsmith::web
