#include "app/base/frame.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>

namespace goldsmith::base {
namespace {

using Size = std::uint64_t;

constexpr std::size_t kSentTogether = 64U << 10;

// Behind a call that has failed: true if it may be repeated.
bool is_to_wait(int socket, short event, const BeforeWait& before_wait) {
  constexpr int kMilliseconds = 100;
  if (errno == EINTR) return true;
  if (errno != EAGAIN || !before_wait) return false;
  before_wait();
  pollfd waited{socket, event, 0};
  ::poll(&waited, 1, kMilliseconds);
  return true;
}

bool send_bytes(int socket, std::string_view bytes, const BeforeWait& before_wait) {
  while (!bytes.empty()) {
    // The process in the sandbox has no send(2), and may end by the signal of a broken connection.
    const ssize_t sent = before_wait ? ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL)
                                     : ::write(socket, bytes.data(), bytes.size());
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (!is_to_wait(socket, POLLOUT, before_wait)) {
      return false;
    }
  }
  return true;
}

bool receive_bytes(int socket, std::span<char> bytes, const BeforeWait& before_wait) {
  while (!bytes.empty()) {
    const ssize_t got = ::read(socket, bytes.data(), bytes.size());
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (got == 0 || !is_to_wait(socket, POLLIN, before_wait)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool send_frame(int socket, const std::vector<std::string_view>& parts,
                const BeforeWait& before_wait) {
  std::vector<Size> sizes{parts.size()};
  for (const std::string_view part : parts) sizes.push_back(part.size());
  // What is small goes with one call: each of them wakes whoever receives it.
  std::string sent(reinterpret_cast<const char*>(sizes.data()), sizes.size() * sizeof(Size));
  for (const std::string_view part : parts) {
    if (sent.size() + part.size() <= kSentTogether) {
      sent += part;
      continue;
    }
    if (!send_bytes(socket, sent, before_wait)) return false;
    if (!send_bytes(socket, part, before_wait)) return false;
    sent.clear();
  }
  return send_bytes(socket, sent, before_wait);
}

std::optional<std::vector<std::string>> receive_frame(int socket, const FrameLimits& limits,
                                                      const BeforeWait& before_wait) {
  const auto receive = [&](std::span<Size> numbers) {
    return receive_bytes(socket, {reinterpret_cast<char*>(numbers.data()), numbers.size_bytes()},
                         before_wait);
  };
  std::array<Size, 1> count{};
  if (!receive(count) || count[0] > limits.parts) return std::nullopt;
  std::vector<Size> sizes(count[0]);
  if (!receive(sizes)) return std::nullopt;
  Size left = limits.bytes;
  for (const Size size : sizes) {
    if (size > left) return std::nullopt;
    left -= size;
  }
  std::vector<std::string> parts;
  for (const Size size : sizes) {
    parts.emplace_back(size, '\0');
    if (!receive_bytes(socket, parts.back(), before_wait)) return std::nullopt;
  }
  return parts;
}

}  // namespace goldsmith::base
