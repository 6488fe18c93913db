#include "app/fcgi/records.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string_view>

namespace goldsmith::fcgi {
namespace {

constexpr std::size_t kHeaderSize = 8;
constexpr std::size_t kBeginSize = 8;          // of the content of BEGIN_REQUEST
constexpr std::size_t kMaxRequest = 1U << 20;  // nginx sends a few KiB
constexpr std::size_t kUsualRequest = 8U << 10;
constexpr unsigned kVersion = 1;

enum Type : unsigned { begin_request = 1, params = 4, standard_input = 5 };

struct Header {
  unsigned version = 0;
  unsigned type = 0;
  std::size_t request = 0;
  std::size_t content = 0;
  std::size_t padding = 0;
};

// That of the record that begins with the last bytes.
Header last_header(const std::string& bytes) {
  const auto byte = [&](std::size_t at) -> unsigned {
    return static_cast<unsigned char>(bytes[bytes.size() - kHeaderSize + at]);
  };
  return {byte(0), byte(1), byte(2) * 256U + byte(3), byte(4) * 256U + byte(5), byte(6)};
}

// Adds so many bytes. False if the connection ends or stalls before.
bool receive(int socket, std::size_t count, std::string& bytes) {
  std::size_t at = bytes.size();
  bytes.resize(at + count);
  while (at < bytes.size()) {
    const ssize_t received = ::recv(socket, bytes.data() + at, bytes.size() - at, MSG_WAITALL);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    at += static_cast<std::size_t>(received);
  }
  return true;
}

// Takes the length of a name or value from the beginning: one byte, or four with the highest bit
// set.
std::optional<std::size_t> take_length(std::string_view& bytes) {
  const std::size_t size = !bytes.empty() && (bytes.front() & 0x80) != 0 ? 4 : 1;
  if (bytes.size() < size) return std::nullopt;
  std::size_t length = 0;
  for (const char c : bytes.substr(0, size)) length = length << 8 | static_cast<unsigned char>(c);
  bytes.remove_prefix(size);
  return size == 4 ? length & 0x7FFF'FFFF : length;
}

// Whether each name and each value is there as a whole: libfcgi allocates what their lengths say.
bool are_pairs(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::optional<std::size_t> name = take_length(parameters);
    const std::optional<std::size_t> value = name ? take_length(parameters) : std::nullopt;
    if (!value || *name + *value > parameters.size()) return false;
    parameters.remove_prefix(*name + *value);
  }
  return true;
}

// `receive` adds so many bytes, or returns false. Each piece is the rest of a record and the header
// of the next one.
template <typename Receive>
std::string take_request(Receive receive) {
  std::string records;
  std::string parameters;
  unsigned expected = begin_request;
  std::size_t request = 0;
  if (!receive(kHeaderSize, records)) return {};
  while (true) {
    const Header header = last_header(records);
    if (expected == begin_request) request = header.request;
    // libfcgi takes what pads a BEGIN_REQUEST for the next record.
    const bool is_begin = header.content == kBeginSize && header.padding == 0;
    const bool is_sound = header.version == kVersion && header.type == expected &&
                          header.request == request && request != 0 &&
                          (expected != begin_request || is_begin);
    if (!is_sound) return {};
    const bool is_end = header.content == 0;
    const bool is_last = is_end && expected == standard_input;
    const std::size_t rest = header.content + header.padding + (is_last ? 0 : kHeaderSize);
    const std::size_t content = records.size();
    if (content + rest > kMaxRequest || !receive(rest, records)) return {};
    if (is_last) return are_pairs(parameters) ? records : std::string();
    if (expected == params) parameters.append(records, content, header.content);
    if (expected == begin_request) {
      expected = params;
    } else if (is_end) {
      expected = standard_input;
    }
  }
}

}  // namespace

std::string read_records(int socket) {
  return take_request(
      [&](std::size_t count, std::string& bytes) { return receive(socket, count, bytes); });
}

std::optional<bool> has_whole_request(int socket) {
  char buffer[kUsualRequest];
  const ssize_t arrived = ::recv(socket, buffer, sizeof buffer, MSG_PEEK);
  if (arrived < 0 && errno == EINTR) return false;
  if (arrived <= 0) return std::nullopt;
  std::string_view rest(buffer, static_cast<std::size_t>(arrived));
  const std::string request = take_request([&](std::size_t count, std::string& bytes) {
    bytes += rest.substr(0, count);
    const bool is_there = count <= rest.size();
    rest.remove_prefix(std::min(count, rest.size()));
    return is_there;
  });
  return !request.empty() && rest.empty();
}

}  // namespace goldsmith::fcgi
