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
// Well under the five seconds that on_idle is promised.
constexpr timespec kLongestWait{2, 0};
constexpr timespec kNoWait{0, 0};

volatile std::sig_atomic_t stop_seen = 0;

void on_stop(int) { stop_seen = 1; }

// Signals that end the loop are blocked but while it waits: they can't cut a request short, nor
// slip in between a check and the wait.
class StopSignals {
 public:
  StopSignals() {
    stop_seen = 0;
    struct sigaction action {};
    action.sa_handler = on_stop;
    action.sa_flags = SA_RESTART;
    sigemptyset(&stopping_);
    for (const int number : kStopSignals) {
      // libfcgi brings handlers of its own, which truncate a response in flight; it leaves those
      // alone that are there before FCGX_Init.
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

  // Looks at pending ones too: ppoll delivers none while there is always a connection waiting.
  bool seen() const {
    if (stop_seen != 0) return true;
    sigset_t pending;
    sigpending(&pending);
    return std::any_of(std::begin(kStopSignals), std::end(kStopSignals),
                       [&](int number) { return sigismember(&pending, number) == 1; });
  }

  // True when there is a connection to accept.
  bool wait(int listening_fd, const timespec& timeout) const {
    pollfd poll{listening_fd, POLLIN, 0};
    return ppoll(&poll, 1, &timeout, &while_waiting_) > 0;
  }

 private:
  sigset_t stopping_{};
  sigset_t before_{};
  sigset_t while_waiting_{};
};

// One connection at a time, each for one request.
class Exchange {
 public:
  explicit Exchange(int listening_fd) {
    if (FCGX_Init() != 0 || FCGX_InitRequest(&fcgi_, listening_fd, FCGI_FAIL_ACCEPT_ON_INTR) != 0) {
      throw std::runtime_error("the FastCGI library can't be set up");
    }
  }
  ~Exchange() { FCGX_Free(&fcgi_, 1); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // 0, or a negated error number. EAGAIN: another worker was faster.
  int accept() {
    const int result = FCGX_Accept_r(&fcgi_);
    if (result != 0) return result;
    // A kept connection would tie this worker to one client, whatever that client asks for.
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

  // False when the client has gone.
  bool write(std::string_view bytes) {
    constexpr std::size_t kPiece = 1U << 20;  // libfcgi counts in int
    while (!bytes.empty()) {
      const std::string_view next = bytes.substr(0, kPiece);
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
  Exchange exchange(listener.fd());
  for (;;) {
    if (options.on_idle) options.on_idle();
    // An inherited socket lives on, and who comes after this worker finds what waits there. One of
    // our own dies with us: it takes no new connection, and those that wait are served first.
    const bool stopping = signals.seen();
    if (stopping && !listener.withdraw()) return 0;
    if (!signals.wait(listener.fd(), stopping ? kNoWait : kLongestWait)) {
      if (stopping) return 0;
      continue;
    }
    const int result = exchange.accept();
    if (result == -EAGAIN || result == -EINTR) continue;
    if (result < 0) {
      sys::log(sys::LogLevel::error, "no connection can be accepted",
               {{"error", std::to_string(-result)}});
      return 1;
    }
    exchange.answer(application, logger);
  }
}

}  // namespace goldsmith::fcgi
