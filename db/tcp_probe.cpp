#include "db/tcp_probe.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

namespace goldsmith::db {
namespace {

sys::UniqueFd begin_connecting(int family, const sockaddr* address, socklen_t length) {
  sys::UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd && ::connect(fd.get(), address, length) != 0 && errno != EINPROGRESS) fd.reset();
  return fd;
}

sys::UniqueFd begin_at_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return begin_connecting(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

sys::UniqueFd begin_at_host(const sys::ServerAddress& server) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  if (::getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &hints, &found) !=
      0) {
    return {};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  return begin_connecting(found->ai_family, found->ai_addr, found->ai_addrlen);
}

}  // namespace

TcpProbe::TcpProbe(const sys::ServerAddress& address)
    : socket_(address.socket.empty() ? begin_at_host(address) : begin_at_socket(address.socket)) {}

std::optional<bool> TcpProbe::outcome(std::chrono::milliseconds patience) const {
  if (!socket_) return false;
  pollfd poll{socket_.get(), POLLIN, 0};
  if (::poll(&poll, 1, static_cast<int>(patience.count())) <= 0) return std::nullopt;
  char first = 0;
  return ::recv(socket_.get(), &first, 1, MSG_PEEK) == 1;
}

}  // namespace goldsmith::db
