// The socket that requests arrive on. Non-blocking and close-on-exec: a child never sees it.
#pragma once

#include <filesystem>
#include <utility>

#include "app/sys/file.hpp"

namespace goldsmith::fcgi {

class Listener {
 public:
  // Takes over the listening socket at descriptor 0 and leaves /dev/null there, so that nothing
  // that inherits standard input can reach it. Throws std::runtime_error when it is no listening
  // socket.
  static Listener inherited();

  // Makes a Unix socket of mode 0660, in place of one that nobody listens on any more. Throws
  // std::runtime_error when the path is taken by a live socket or by another kind of file.
  static Listener create(const std::filesystem::path& path);

  int fd() const { return fd_.get(); }

  // Removes the name of a socket that create() made: no new connection can arrive. False when the
  // socket is inherited, which others go on listening to.
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
