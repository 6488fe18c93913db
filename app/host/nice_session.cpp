#include "app/host/nice_session.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <thread>

namespace goldsmith::host {

namespace {

// The kernel accepts a change every 100 ms, and others may be quicker.
constexpr std::chrono::milliseconds kPause{20};
constexpr int kAttempts = 50;

}  // namespace

bool set_session_niceness(int niceness) {
  const int session = ::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (session < 0) return false;
  std::array<char, 4> text{};
  const auto end = std::to_chars(text.begin(), text.end(), niceness);
  const ssize_t written =
      ::write(session, text.data(), static_cast<std::size_t>(end.ptr - text.data()));
  ::close(session);
  return written >= 0;
}

NiceSession::NiceSession(int niceness) noexcept
    : is_nice_(::getsid(0) == ::getpid() && set_session_niceness(niceness)) {}

NiceSession::~NiceSession() {
  for (int attempt = 0; is_nice_ && attempt < kAttempts; ++attempt) {
    if (set_session_niceness(0)) return;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace goldsmith::host
