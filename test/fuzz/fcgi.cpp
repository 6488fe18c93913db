// Records of FastCGI, as whoever reaches the socket may send them, through libfcgi.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "app/base/file.hpp"
#include "app/web/server.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

constexpr std::size_t kHeader = 8;

// Answers with what the request says, so that all of it is read.
web::Response echo(web::Request& request) {
  require(!request.method.empty() && request.target.starts_with('/'),
          "only usable requests arrive");
  require(!request.id.empty() && request.id.size() <= 64, "a request has an id");
  web::Response response;
  response.status = request.is_head() ? 404 : 200;
  response.body = request.target + request.remote_address + request.authorization.value_or("");
  for (const auto& [name, value] : request.headers) response.set_header("X-" + name, value);
  return response;
}

// A server in a thread, for as long as the process lives.
const sockaddr_un& server_address() {
  static const base::TempDir folder("/dev/shm");
  static const sockaddr_un address = [] {
    sockaddr_un made{};
    made.sun_family = AF_UNIX;
    const std::string path = (folder.path() / "socket").string();
    std::memcpy(made.sun_path, path.data(), std::min(path.size(), sizeof made.sun_path - 1));
    std::thread([path] { web::serve({path, {}}, echo, {}); }).detach();
    return made;
  }();
  return address;
}

base::UniqueFd connected() {
  const sockaddr_un& address = server_address();
  while (true) {
    base::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      return fd;
    }
    ::poll(nullptr, 0, 1);  // it is not listening yet
  }
}

std::string read_to_end(int fd) {
  std::string bytes;
  char buffer[4096];
  while (true) {
    const ssize_t count = ::recv(fd, buffer, sizeof buffer, 0);
    if (count <= 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
}

std::size_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

void check_records(std::string_view bytes) {
  while (!bytes.empty()) {
    require(bytes.size() >= kHeader && byte_at(bytes, 0) == 1, "an answer is made of records");
    const std::size_t size =
        kHeader + byte_at(bytes, 4) * 256 + byte_at(bytes, 5) + byte_at(bytes, 6);
    require(size <= bytes.size(), "each of them is whole");
    bytes.remove_prefix(size);
  }
}

}  // namespace

FUZZ_TARGET(fcgi, "app/web/message.cpp app/web/server.cpp") {
  const base::UniqueFd fd = connected();
  if (::send(fd.get(), input.data(), input.size(), MSG_NOSIGNAL) < 0) return;
  ::shutdown(fd.get(), SHUT_WR);
  check_records(read_to_end(fd.get()));
}
