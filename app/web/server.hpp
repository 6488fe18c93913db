// The FastCGI accept loop of a single-threaded worker. The only code that uses libfcgi.
#pragma once

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "app/base/file.hpp"
#include "app/web/request.hpp"
#include "app/web/response.hpp"

namespace goldsmith::web {

struct ServerOptions {
  std::filesystem::path socket;   // "" = the listening socket is descriptor 0
  std::function<void()> on_idle;  // called between requests, at least every five seconds
};

// May complete the request, which the logger sees as well.
using Application = std::function<web::Response(web::Request&)>;
// Called after the response was sent.
using Logger = std::function<void(const web::Request&, const web::Response&)>;

// Serves requests until SIGTERM, SIGINT or SIGUSR1. The current request is always finished, and no
// accepted request is dropped. Never calls `application` for a request without a method and target.
// Returns a process exit code. Throws std::runtime_error if there is no usable listening socket.
int serve(const ServerOptions& options, const Application& application, const Logger& logger);

// What a worker waits for: a stop signal, a connection that arrives, the next request on one of the
// connections that it keeps.

// Stop signals (SIGTERM, SIGINT, SIGUSR1) are blocked while this object lives, so they can neither
// interrupt a request nor arrive unnoticed between a check and the wait.
class Events {
 public:
  struct Ready {
    bool stop = false;          // from the first stop signal on
    bool connection = false;    // there was one to accept; another process may have been faster
    std::vector<int> requests;  // kept connections that can be read
    std::vector<int> closed;    // kept connections that the client closed
  };

  // A connection wakes one or a few of the processes that wait at a listening socket, not all
  // (EPOLLEXCLUSIVE). Throws std::runtime_error.
  explicit Events(int listening_fd);
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // Adds a connection that is kept, until it is closed. Throws std::runtime_error.
  void watch(int connection_fd);

  // Returns at the latest after `timeout`, with nothing ready then. The result is valid until the
  // next call.
  const Ready& wait(std::chrono::milliseconds timeout);

 private:
  sigset_t before_{};
  int listening_fd_;
  Ready ready_;
  base::UniqueFd stop_;
  base::UniqueFd queue_;
};

// The socket on which requests arrive. Non-blocking and close-on-exec: child processes never see
// it.
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
  Listener(base::UniqueFd fd, std::filesystem::path path);

  base::UniqueFd fd_;
  std::filesystem::path path_;  // "" = inherited
  bool named_ = false;
};

}  // namespace goldsmith::web
