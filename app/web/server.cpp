#include "app/web/server.hpp"

#include <fcgiapp.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

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
    Request request = read_request(fcgi_.envp);
    const Response response = respond(application, request);
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

  static Response respond(const Application& application, Request& request) {
    if (!is_usable(request)) return error_response(domain::Error::bad_request, "");
    try {
      return application(request);
    } catch (const std::exception& error) {
      base::log(base::LogLevel::error, "the application failed",
                {{"id", request.id}, {"error", error.what()}});
    }
    return error_response(domain::Error::internal_error, "");
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
  bool write(const FileBody& file) {
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

}  // namespace goldsmith::web
