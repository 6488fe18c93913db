// What a worker waits for (server.hpp).
#include <poll.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "app/base/file.hpp"
#include "app/web/server.hpp"

namespace goldsmith::web {

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

}  // namespace goldsmith::web
