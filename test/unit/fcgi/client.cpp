#include "client.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace goldsmith::fcgi::test {
namespace {

enum RecordType : unsigned char { begin_request = 1, end_request = 3, params = 4, in = 5, out = 6 };

std::string record(RecordType type, const std::string& content) {
  std::string bytes(8, '\0');
  bytes[0] = 1;  // version
  bytes[1] = static_cast<char>(type);
  bytes[3] = 1;  // request id
  bytes[4] = static_cast<char>(content.size() >> 8U);
  bytes[5] = static_cast<char>(content.size() & 0xFFU);
  return bytes + content;
}

std::string length(std::size_t size) {
  if (size < 128) return std::string(1, static_cast<char>(size));
  std::string bytes(4, '\0');
  bytes[0] = static_cast<char>(0x80U | (size >> 24U));
  bytes[1] = static_cast<char>(size >> 16U);
  bytes[2] = static_cast<char>(size >> 8U);
  bytes[3] = static_cast<char>(size);
  return bytes;
}

std::string read_to_end(int fd) {
  std::string bytes;
  std::vector<char> buffer(1U << 16U);
  for (;;) {
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0) throw std::runtime_error(std::string("read: ") + std::strerror(errno));
    if (count == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

bool Answer::has(const std::string& line) const {
  return ("\r\n" + head + "\r\n").find("\r\n" + line + "\r\n") != std::string::npos;
}

Parameters plain(const std::string& method, const std::string& target) {
  return {{"REQUEST_METHOD", method}, {"REQUEST_URI", target}, {"REMOTE_ADDR", "192.0.2.7"}};
}

sys::UniqueFd connect_to(const std::filesystem::path& socket_path) {
  sys::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("connect: " + std::string(std::strerror(errno)));
  }
  return fd;
}

void send_request(int fd, const Parameters& parameters, bool keep_connection) {
  std::string pairs;
  for (const auto& [name, value] : parameters) {
    pairs += length(name.size()) + length(value.size()) + name + value;
  }
  std::string role(8, '\0');
  role[1] = 1;  // responder
  role[2] = keep_connection ? 1 : 0;
  std::string bytes = record(begin_request, role);
  if (!pairs.empty()) bytes += record(params, pairs);
  sys::write_all(fd, bytes + record(params, "") + record(in, ""), "request");
}

Answer read_answer(sys::UniqueFd fd) {
  const std::string bytes = read_to_end(fd.get());
  Answer answer;
  std::string text;
  for (std::size_t at = 0; at + 8 <= bytes.size();) {
    const auto byte = [&](std::size_t offset) {
      return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + offset]));
    };
    const std::size_t size = byte(4) * 256 + byte(5);
    if (byte(1) == out) text += bytes.substr(at + 8, size);
    if (byte(1) == end_request) answer.ended = true;
    at += 8 + size + byte(6);
  }
  const std::size_t blank = text.find("\r\n\r\n");
  answer.head = text.substr(0, blank);
  if (blank != std::string::npos) answer.body = text.substr(blank + 4);
  return answer;
}

Answer ask(const std::filesystem::path& socket, const Parameters& parameters) {
  sys::UniqueFd fd = connect_to(socket);
  send_request(fd.get(), parameters);
  return read_answer(std::move(fd));
}

}  // namespace goldsmith::fcgi::test
