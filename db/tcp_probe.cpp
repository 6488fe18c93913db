#include "db/tcp_probe.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace goldsmith::db {
namespace {

int begin_connecting(int family, const sockaddr* address, socklen_t length) {
  const int descriptor = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  if (::connect(descriptor, address, length) == 0 || errno == EINPROGRESS) return descriptor;
  ::close(descriptor);
  return -1;
}

int begin_at_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return begin_connecting(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

int begin_at_host(const sys::ServerAddress& server) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  if (::getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &hints, &found) !=
      0) {
    return -1;
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  return begin_connecting(found->ai_family, found->ai_addr, found->ai_addrlen);
}

}  // namespace

TcpProbe::TcpProbe(const sys::ServerAddress& address)
    : descriptor_(address.socket.empty() ? begin_at_host(address)
                                         : begin_at_socket(address.socket)) {}

TcpProbe::~TcpProbe() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

TcpProbe::TcpProbe(TcpProbe&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

TcpProbe& TcpProbe::operator=(TcpProbe&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

std::optional<bool> TcpProbe::outcome_within(std::chrono::milliseconds patience) const {
  if (descriptor_ < 0) return false;
  pollfd poll{descriptor_, POLLIN, 0};
  if (::poll(&poll, 1, static_cast<int>(patience.count())) <= 0) return std::nullopt;
  char first = 0;
  return ::recv(descriptor_, &first, 1, MSG_PEEK) == 1;
}

}  // namespace goldsmith::db
