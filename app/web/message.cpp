#include "app/web/message.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/web/response.hpp"

namespace goldsmith::web {

namespace {

constexpr std::size_t kMaxIdLength = 64;

// Only such an id may be logged as it is.
bool is_plain_token(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdLength &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
             std::string_view::npos;
}

// HTTP_USER_AGENT without its prefix becomes user-agent.
std::string header_name(std::string_view variable) {
  std::string name = base::to_lower_ascii(variable);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void take_header(Request& request, std::string name, std::string_view value) {
  if (name == "authorization") {
    request.authorization = value;
  } else if (name == "if-none-match") {
    request.if_none_match = value;
  } else {
    // A repeated header is a list (RFC 9110, section 5.3), for example X-Forwarded-For as sent by
    // the client followed by the value that a proxy added.
    std::string& all = request.headers[std::move(name)];
    if (!all.empty()) all += ", ";
    all += value;
  }
}

void take_variable(Request& request, std::string_view name, std::string_view value) {
  constexpr std::string_view kHeaderPrefix = "HTTP_";
  if (name == "REQUEST_METHOD") {
    request.method = value;
  } else if (name == "REQUEST_URI") {
    request.target = value;
  } else if (name == "REMOTE_ADDR") {
    request.remote_address = value;
  } else if (name == "REQUEST_ID") {
    if (is_plain_token(value)) request.id = value;
  } else if (name.starts_with(kHeaderPrefix)) {
    take_header(request, header_name(name.substr(kHeaderPrefix.size())), value);
  }
}

bool status_has_body(int status) { return status >= 200 && status != 204 && status != 304; }

// True if the empty body is the complete body. It is not for a file that nginx sends, nor for HEAD,
// for which the application may not have created the body.
bool has_empty_body(const Request& request, const Response& response) {
  return sends_body(request, response) && response.header("X-Accel-Redirect") == nullptr;
}

enum Type : unsigned { begin_request = 1, params = 4, standard_input = 5 };

constexpr std::size_t kHeaderSize = 8;

struct Header {
  unsigned version = 0;
  unsigned type = 0;
  unsigned request = 0;
  std::size_t content = 0;
  std::size_t padding = 0;
};

Header header_of(std::string_view record) {
  const auto byte = [&](std::size_t at) -> unsigned {
    return static_cast<unsigned char>(record[at]);
  };
  return {byte(0), byte(1), byte(2) * 256 + byte(3), byte(4) * 256 + byte(5), byte(6)};
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

}  // namespace

Request read_request(const char* const* variables) {
  Request request;
  for (; *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    take_variable(request, variable.substr(0, equals), variable.substr(equals + 1));
  }
  if (request.id.empty()) request.id = base::random_alphanumeric(20);
  request.segments = split_path(request.target);
  return request;
}

bool is_usable(const Request& request) {
  return !request.method.empty() && request.target.starts_with('/');
}

bool sends_body(const Request& request, const Response& response) {
  return !request.is_head() && status_has_body(response.status);
}

std::string response_head(const Request& request, const Response& response) {
  constexpr std::size_t kUsualSize = 1024;
  std::string head;
  head.reserve(kUsualSize);
  head.append("Status: ").append(std::to_string(response.status)) += ' ';
  head.append(reason_phrase(response.status)).append("\r\n").append(response.fixed_lines);
  const std::uint64_t size = response.file ? response.file->size : response.body.size();
  bool has_length = size > 0 && status_has_body(response.status);
  if (has_length) head += "Content-Length: " + std::to_string(size) + "\r\n";
  for (const auto& [name, value] : response.headers) {
    if (base::equals_ignoring_case(name, "Content-Length")) {
      if (has_length) continue;
      has_length = true;
    }
    append_header_line(head, name, value);
  }
  if (response.cached) return head;
  if (!has_length && has_empty_body(request, response)) head += "Content-Length: 0\r\n";
  return head += "\r\n";
}

std::string_view response_rest(const Request& request, const Response& response) {
  const bool has_body = sends_body(request, response);
  if (!response.cached) return has_body ? response.body : std::string_view();
  if (has_body) return response.cached->whole();
  return request.is_head() && response.status == 200 ? response.cached->head()
                                                     : response.cached->head_of_not_modified();
}

std::optional<bool> is_request(std::string_view records) {
  constexpr unsigned kVersion = 1;
  constexpr std::size_t kBeginSize = 8;  // of the content of BEGIN_REQUEST
  std::string parameters;
  unsigned expected = begin_request;
  unsigned request = 0;
  while (records.size() >= kHeaderSize) {
    const Header header = header_of(records);
    if (expected == begin_request) request = header.request;
    // libfcgi takes what pads a BEGIN_REQUEST for the next record.
    const bool is_begin = header.content == kBeginSize && header.padding == 0;
    const bool is_sound = header.version == kVersion && header.type == expected &&
                          header.request == request && request != 0 &&
                          (expected != begin_request || is_begin);
    if (!is_sound) return false;
    const std::size_t size = kHeaderSize + header.content + header.padding;
    if (size > records.size()) return std::nullopt;
    if (expected == params) parameters += records.substr(kHeaderSize, header.content);
    records.remove_prefix(size);
    if (expected == begin_request) {
      expected = params;
    } else if (header.content == 0) {
      if (expected == standard_input) return records.empty() && are_pairs(parameters);
      expected = standard_input;
    }
  }
  return std::nullopt;
}

}  // namespace goldsmith::web
