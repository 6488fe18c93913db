// The socket on which requests arrive. Non-blocking and close-on-exec: child processes never see
// it.
#pragma once

#include <filesystem>
#include <utility>

#include "app/sys/file.hpp"

namespace goldsmith::fcgi {

class Listener {
 public:
  // Takes over the listening socket at descriptor 0 and replaces it with /dev/null, so that no
  // child process inherits it as standard input. Throws std::runtime_error if it is not a listening
  // socket.
  static Listener inherited();

  // Creates a Unix socket of mode 0660 and replaces a stale one. Throws std::runtime_error if
  // another process listens at the path or if another kind of file exists there.
  static Listener create(const std::filesystem::path& path);

  int fd() const { return fd_.get(); }

  // Unlinks a socket made by create(), so that no new connection can arrive. False if the socket is
  // inherited: other processes continue to listen on it.
  bool withdraw();

  ~Listener() { withdraw(); }
  Listener(Listener&& other) noexcept
      : fd_(std::move(other.fd_)),
        path_(std::move(other.path_)),
        named_(std::exchange(other.named_, false)) {}
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  Listener(sys::UniqueFd fd, std::filesystem::path path);

  sys::UniqueFd fd_;
  std::filesystem::path path_;  // "" = inherited
  bool named_ = false;
};

}  // namespace goldsmith::fcgi
