#include "client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace goldsmith::web::test {
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

std::size_t byte_at(const std::string& bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes.at(at));
}

// The sizes of the record that starts at `at`: of its content, and of all of it.
std::size_t content_size(const std::string& bytes, std::size_t at) {
  return byte_at(bytes, at + 4) * 256 + byte_at(bytes, at + 5);
}
std::size_t record_size(const std::string& bytes, std::size_t at) {
  return 8 + content_size(bytes, at) + byte_at(bytes, at + 6);
}

bool is_whole_records(const std::string& bytes) {
  std::size_t at = 0;
  while (at + 8 <= bytes.size()) at += record_size(bytes, at);
  return at == bytes.size();
}

Answer parse_answer(const std::string& bytes) {
  Answer answer;
  std::string text;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += record_size(bytes, at)) {
    if (byte_at(bytes, at + 1) == out) text += bytes.substr(at + 8, content_size(bytes, at));
    if (byte_at(bytes, at + 1) == end_request) answer.ended = true;
  }
  const std::size_t blank = text.find("\r\n\r\n");
  answer.head = text.substr(0, blank);
  if (blank != std::string::npos) answer.body = text.substr(blank + 4);
  return answer;
}

}  // namespace

bool Answer::has(const std::string& line) const {
  return ("\r\n" + head + "\r\n").find("\r\n" + line + "\r\n") != std::string::npos;
}

Parameters plain(const std::string& method, const std::string& target) {
  return {{"REQUEST_METHOD", method}, {"REQUEST_URI", target}, {"REMOTE_ADDR", "192.0.2.7"}};
}

base::UniqueFd connect_to(const std::filesystem::path& socket_path) {
  base::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("connect: " + std::string(std::strerror(errno)));
  }
  return fd;
}

std::string request_records(const Parameters& parameters, bool keep_connection) {
  std::string pairs;
  for (const auto& [name, value] : parameters) {
    pairs += length(name.size()) + length(value.size()) + name + value;
  }
  std::string role(8, '\0');
  role[1] = 1;  // responder
  role[2] = keep_connection ? 1 : 0;
  std::string bytes = record(begin_request, role);
  if (!pairs.empty()) bytes += record(params, pairs);
  return bytes + record(params, "") + record(in, "");
}

void send_request(int fd, const Parameters& parameters, bool keep_connection) {
  base::write_all(fd, request_records(parameters, keep_connection), "request");
}

Answer read_answer(base::UniqueFd fd) { return parse_answer(read_to_end(fd.get())); }

Answer read_next_answer(int fd) {
  std::string bytes;
  char byte = 0;
  Answer answer;
  while (!answer.ended && read(fd, &byte, 1) == 1) {
    bytes += byte;
    if (is_whole_records(bytes)) answer = parse_answer(bytes);
  }
  return answer;
}

bool is_closed_by_server(int fd) {
  constexpr int kTenSeconds = 10'000;
  pollfd state{fd, POLLIN, 0};
  char byte = 0;
  return poll(&state, 1, kTenSeconds) == 1 && read(fd, &byte, 1) == 0;
}

Answer ask(const std::filesystem::path& socket, const Parameters& parameters) {
  base::UniqueFd fd = connect_to(socket);
  send_request(fd.get(), parameters);
  return read_answer(std::move(fd));
}

}  // namespace goldsmith::web::test
