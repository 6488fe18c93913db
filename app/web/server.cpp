#include "app/web/server.hpp"

#include <fcgiapp.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "app/base/log.hpp"
#include "app/web/error.hpp"
#include "app/web/message.hpp"

namespace goldsmith::web {
namespace {

// Well below the five seconds promised for on_idle.
constexpr std::chrono::milliseconds kMaxWait{2000};
constexpr std::chrono::milliseconds kNoWait{0};

// How long a client that has connected may keep the worker waiting for the first byte, and how
// often the worker looks for the others, a millisecond apart.
constexpr timeval kMaxSilence{.tv_sec = 2, .tv_usec = 0};
constexpr int kMaxLooks = 2000;

// nginx sends a few KiB, and a socket holds more than this.
constexpr std::size_t kMaxRequest = 128U << 10;

constexpr std::size_t kFilePiece = 256U << 10;

// As many as a web server with a few processes keeps. One more is closed after its request.
constexpr std::size_t kMaxKept = 128;

// A connection of nginx, which may keep it for further requests.
class Connection {
 public:
  Connection() {
    if (FCGX_Init() != 0 || FCGX_InitRequest(&fcgi_, -1, FCGI_FAIL_ACCEPT_ON_INTR) != 0) {
      throw std::runtime_error("cannot initialise the FastCGI library");
    }
  }
  ~Connection() { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_open() const { return static_cast<bool>(socket_); }
  int fd() const { return socket_.get(); }

  // 0, or a negated error number. -EAGAIN: another worker accepted the connection. Precondition:
  // none is open.
  int accept(int listening_fd) {
    socket_.reset(::accept4(listening_fd, nullptr, nullptr, SOCK_CLOEXEC));
    if (!is_open()) return -errno;
    setsockopt(fd(), SOL_SOCKET, SO_RCVTIMEO, &kMaxSilence, sizeof kMaxSilence);
    return 0;
  }

  // Takes the next request of the open connection. False if there is none: it is closed then.
  bool read_next() {
    if (!has_request() || !parse()) {
      close();
      return false;
    }
    // A body has no use, but would be in front of the next request.
    char body[1024];
    while (FCGX_GetStr(body, sizeof body, fcgi_.in) > 0) continue;
    return true;
  }

  // Keeps the connection only if the client wants that, too.
  void answer(const Application& application, const Logger& logger, bool may_keep) {
    web::Request request = read_request(fcgi_.envp);
    const web::Response response = respond(application, request);
    if (write(response_head(request, response)) && write(response_rest(request, response)) &&
        response.file && sends_body(request, response)) {
      write(*response.file);
    }
    const bool keep = may_keep && fcgi_.keepConnection != 0;
    fcgi_.keepConnection = 1;  // to close it, libfcgi would wait until the client has done so
    FCGX_Finish_r(&fcgi_);
    if (fcgi_.ipcFd < 0) socket_.release();  // it closes one that it could not write to
    if (!keep) close();
    if (logger) logger(request, response);
  }

  void close() {
    if (!is_open()) return;
    // Closing a socket that has unread bytes would be an error for the client.
    char rest[1024];
    while (recv(fd(), rest, sizeof rest, MSG_DONTWAIT) > 0) continue;
    socket_.reset();
    FCGX_Free(&fcgi_, 0);
  }

 private:
  // Waits until a request has arrived, and leaves it there, so that libfcgi reads what was checked.
  // False if the client stalls, closes the connection or sends something else. nginx sends a
  // request at once: what is not there yet is worth a look a millisecond later.
  bool has_request() const {
    char bytes[kMaxRequest];
    bool is_closed = false;
    for (int look = 0; look < kMaxLooks; ++look) {
      const ssize_t arrived = ::recv(fd(), bytes, sizeof bytes, MSG_PEEK);
      if (arrived <= 0) return false;
      const auto is_whole = is_request({bytes, static_cast<std::size_t>(arrived)});
      if (is_whole || is_closed) return is_whole.value_or(false);
      pollfd closing{fd(), POLLRDHUP, 0};
      is_closed = ::poll(&closing, 1, 1) != 0;
    }
    return false;
  }

  // False if libfcgi could not read it; it has closed the connection then.
  bool parse() {
    fcgi_.ipcFd = fd();
    // It would close what it takes for the connection of a request before.
    fcgi_.keepConnection = 1;
    const bool is_parsed = FCGX_Accept_r(&fcgi_) == 0;
    if (fcgi_.ipcFd < 0) socket_.release();
    return is_parsed;
  }

  static web::Response respond(const Application& application, web::Request& request) {
    if (!is_usable(request)) return web::error_response(domain::Error::bad_request, "");
    try {
      return application(request);
    } catch (const std::exception& error) {
      base::log(base::LogLevel::error, "the application failed",
                {{"id", request.id}, {"error", error.what()}});
    }
    return web::error_response(domain::Error::internal_error, "");
  }

  // False if the client has closed the connection.
  bool write(std::string_view bytes) {
    constexpr std::size_t kMaxWrite = 1U << 20;  // libfcgi counts in int
    while (!bytes.empty()) {
      const std::string_view next = bytes.substr(0, kMaxWrite);
      if (FCGX_PutStr(next.data(), static_cast<int>(next.size()), fcgi_.out) < 0) return false;
      bytes.remove_prefix(next.size());
    }
    return true;
  }

  // A piece at a time. What cannot be read ends the response early, which the client sees.
  bool write(const web::FileBody& file) {
    std::string piece(std::min<std::uint64_t>(file.size, kFilePiece), '\0');
    std::uint64_t offset = 0;
    while (offset < file.size) {
      const ssize_t count = ::pread(file.fd.get(), piece.data(),
                                    std::min<std::uint64_t>(file.size - offset, piece.size()),
                                    static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0 || !write({piece.data(), static_cast<std::size_t>(count)})) return false;
      offset += static_cast<std::uint64_t>(count);
    }
    return true;
  }

  FCGX_Request fcgi_{};
  base::UniqueFd socket_;
};

// The connections that a worker has, each of which gets one request at a time: none keeps the
// others, or one that arrives, waiting for more than that.
class Server {
 public:
  Server(Listener listener, const ServerOptions& options, const Application& application,
         const Logger& logger)
      : listener_(std::move(listener)),
        events_(listener_.fd()),
        on_idle_(options.on_idle),
        application_(application),
        logger_(logger) {}

  int run() {
    for (;;) {
      if (on_idle_) on_idle_();
      const Events::Ready& ready = events_.wait(kMaxWait);
      for (const int fd : ready.closed) kept_.erase(fd);
      for (const int fd : ready.requests) answer_next(fd, !ready.stop);
      if (ready.stop) return finish();
      if (!ready.connection) continue;
      if (const int error = answer_new(kept_.size() < kMaxKept)) return report(error);
    }
  }

 private:
  void answer_next(int fd, bool may_keep) {
    if (on_idle_) on_idle_();
    Connection& connection = *kept_.at(fd);
    if (connection.read_next()) connection.answer(application_, logger_, may_keep);
    if (!connection.is_open()) kept_.erase(fd);
  }

  // 0, or a negated error number.
  int answer_new(bool may_keep) {
    auto connection = std::make_unique<Connection>();
    const int result = connection->accept(listener_.fd());
    if (result == -EAGAIN || result == -EINTR || result == -ECONNABORTED) return 0;
    if (result < 0) return result;
    if (!connection->read_next()) return 0;
    connection->answer(application_, logger_, may_keep);
    if (!connection->is_open()) return 0;
    events_.watch(connection->fd());
    const int fd = connection->fd();
    kept_.emplace(fd, std::move(connection));
    return 0;
  }

  // An inherited socket outlives this worker, and other workers serve the connections that wait
  // there. An own socket does not: it is unlinked, and the waiting connections are served first.
  int finish() {
    kept_.clear();
    if (!listener_.withdraw()) return 0;
    while (events_.wait(kNoWait).connection) {
      if (const int error = answer_new(false)) return report(error);
    }
    return 0;
  }

  static int report(int error) {
    base::log(base::LogLevel::error, "cannot accept connections",
              {{"error", std::to_string(-error)}});
    return 1;
  }

  Listener listener_;
  Events events_;
  const std::function<void()>& on_idle_;
  const Application& application_;
  const Logger& logger_;
  std::unordered_map<int, std::unique_ptr<Connection>> kept_;  // by descriptor
};

}  // namespace

int serve(const ServerOptions& options, const Application& application, const Logger& logger) {
  return Server(options.socket.empty() ? Listener::inherited() : Listener::create(options.socket),
                options, application, logger)
      .run();
}

namespace {

constexpr int kStopSignals[] = {SIGTERM, SIGINT, SIGUSR1};

// That one wait returns; what else is ready comes with the next one.
constexpr std::size_t kMaxEvents = 64;

void ignore(int) {}

void add(const base::UniqueFd& queue, int fd, std::uint32_t conditions) {
  epoll_event event{};
  event.events = conditions;
  event.data.fd = fd;
  if (epoll_ctl(queue.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    throw std::runtime_error("cannot wait for a descriptor");
  }
}

}  // namespace

Events::Events(int listening_fd) : listening_fd_(listening_fd) {
  sigset_t stopping;
  sigemptyset(&stopping);
  struct sigaction action{};
  // Never called while this object lives. A second signal afterwards must not kill the process, and
  // libfcgi, whose handlers truncate the current response, leaves handlers alone that are there.
  action.sa_handler = ignore;
  action.sa_flags = SA_RESTART;
  for (const int number : kStopSignals) {
    sigaction(number, &action, nullptr);
    sigaddset(&stopping, number);
  }
  sigprocmask(SIG_BLOCK, &stopping, &before_);
  stop_.reset(signalfd(-1, &stopping, SFD_CLOEXEC | SFD_NONBLOCK));
  queue_.reset(epoll_create1(EPOLL_CLOEXEC));
  if (!stop_ || !queue_) throw std::runtime_error("cannot create an event queue");
  add(queue_, stop_.get(), EPOLLIN);
  add(queue_, listening_fd, EPOLLIN | EPOLLEXCLUSIVE);
}

Events::~Events() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

void Events::watch(int connection_fd) { add(queue_, connection_fd, EPOLLIN | EPOLLRDHUP); }

const Events::Ready& Events::wait(std::chrono::milliseconds timeout) {
  std::array<epoll_event, kMaxEvents> events{};
  const int count = epoll_wait(queue_.get(), events.data(), static_cast<int>(events.size()),
                               static_cast<int>(timeout.count()));
  ready_.stop = ready_.connection = false;
  ready_.requests.clear();
  ready_.closed.clear();
  for (int each = 0; each < count; ++each) {
    const epoll_event& event = events[static_cast<std::size_t>(each)];
    const int fd = event.data.fd;
    if (fd == stop_.get()) {
      ready_.stop = true;
    } else if (fd == listening_fd_) {
      ready_.connection = true;
    } else if ((event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
      ready_.closed.push_back(fd);
    } else {
      ready_.requests.push_back(fd);
    }
  }
  return ready_;
}

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
