#include "app/fcgi/server.hpp"

#include <fcgiapp.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "app/fcgi/listener.hpp"
#include "app/fcgi/message.hpp"
#include "app/http/error.hpp"
#include "app/sys/log.hpp"

namespace goldsmith::fcgi {
namespace {

constexpr int kStopSignals[] = {SIGTERM, SIGINT, SIGUSR1};
// Well below the five seconds promised for on_idle.
constexpr timespec kMaxWait{2, 0};
constexpr timespec kNoWait{0, 0};

volatile std::sig_atomic_t stop_seen = 0;

void on_stop(int) { stop_seen = 1; }

// Stop signals are blocked except while the loop waits, so they can neither interrupt a request nor
// arrive unnoticed between a check and the wait.
class StopSignals {
 public:
  StopSignals() {
    stop_seen = 0;
    struct sigaction action {};
    action.sa_handler = on_stop;
    action.sa_flags = SA_RESTART;
    sigemptyset(&stopping_);
    for (const int number : kStopSignals) {
      // The handlers of libfcgi truncate the current response. It does not replace handlers that
      // are installed before FCGX_Init.
      sigaction(number, &action, nullptr);
      sigaddset(&stopping_, number);
    }
    sigprocmask(SIG_BLOCK, &stopping_, &before_);
    while_waiting_ = before_;
    for (const int number : kStopSignals) sigdelset(&while_waiting_, number);
  }
  ~StopSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Also checks pending signals: ppoll delivers none as long as connections are waiting.
  bool seen() const {
    if (stop_seen != 0) return true;
    sigset_t pending;
    sigpending(&pending);
    return std::any_of(std::begin(kStopSignals), std::end(kStopSignals),
                       [&](int number) { return sigismember(&pending, number) == 1; });
  }

  // True if there is a connection to accept.
  bool wait(int listening_fd, const timespec& timeout) const {
    pollfd poll{listening_fd, POLLIN, 0};
    return ppoll(&poll, 1, &timeout, &while_waiting_) > 0;
  }

 private:
  sigset_t stopping_{};
  sigset_t before_{};
  sigset_t while_waiting_{};
};

// The current connection, which serves one request. Reused for each connection.
class Connection {
 public:
  explicit Connection(int listening_fd) {
    if (FCGX_Init() != 0 || FCGX_InitRequest(&fcgi_, listening_fd, FCGI_FAIL_ACCEPT_ON_INTR) != 0) {
      throw std::runtime_error("cannot initialise the FastCGI library");
    }
  }
  ~Connection() { FCGX_Free(&fcgi_, 1); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // 0, or a negated error number. -EAGAIN: another worker accepted the connection.
  int accept() {
    const int result = FCGX_Accept_r(&fcgi_);
    if (result != 0) return result;
    // Ignores a request to keep the connection, which would tie this worker to one client.
    fcgi_.keepConnection = 0;
    fcntl(fcgi_.ipcFd, F_SETFD, FD_CLOEXEC);
    return 0;
  }

  void answer(const Application& application, const Logger& logger) {
    const http::Request request = read_request(fcgi_.envp);
    const http::Response response = respond(application, request);
    if (write(response_head(request, response)) && sends_body(request, response)) {
      write(response.body);
    }
    FCGX_Finish_r(&fcgi_);
    if (logger) logger(request, response);
  }

 private:
  static http::Response respond(const Application& application, const http::Request& request) {
    if (!is_usable(request)) return http::error_response(http::Error::bad_request, "");
    try {
      return application(request);
    } catch (const std::exception& error) {
      sys::log(sys::LogLevel::error, "the application failed",
               {{"id", request.id}, {"error", error.what()}});
    }
    return http::error_response(http::Error::internal_error, "");
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

  FCGX_Request fcgi_{};
};

}  // namespace

int serve(const ServerOptions& options, const Application& application, const Logger& logger) {
  Listener listener =
      options.socket.empty() ? Listener::inherited() : Listener::create(options.socket);
  const StopSignals signals;
  Connection connection(listener.fd());
  for (;;) {
    if (options.on_idle) options.on_idle();
    // An inherited socket outlives this worker, and other workers serve the connections that wait
    // there. An own socket does not: it is unlinked, and the waiting connections are served first.
    const bool stopping = signals.seen();
    if (stopping && !listener.withdraw()) return 0;
    if (!signals.wait(listener.fd(), stopping ? kNoWait : kMaxWait)) {
      if (stopping) return 0;
      continue;
    }
    const int result = connection.accept();
    if (result == -EAGAIN || result == -EINTR) continue;
    if (result < 0) {
      sys::log(sys::LogLevel::error, "cannot accept connections",
               {{"error", std::to_string(-result)}});
      return 1;
    }
    connection.answer(application, logger);
  }
}

}  // namespace goldsmith::fcgi
