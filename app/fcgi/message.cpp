#include "app/fcgi/message.hpp"

#include <algorithm>
#include <string_view>

#include "app/http/cached_response.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::fcgi {
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
  std::string name = sys::to_lower_ascii(variable);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void take_header(http::Request& request, std::string name, std::string_view value) {
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

void take_variable(http::Request& request, std::string_view name, std::string_view value) {
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
bool has_empty_body(const http::Request& request, const http::Response& response) {
  return sends_body(request, response) && response.header("X-Accel-Redirect") == nullptr;
}

}  // namespace

http::Request read_request(const char* const* variables) {
  http::Request request;
  for (; *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    take_variable(request, variable.substr(0, equals), variable.substr(equals + 1));
  }
  if (request.id.empty()) request.id = sys::random_alphanumeric(20);
  request.segments = http::split_path(request.target);
  return request;
}

bool is_usable(const http::Request& request) {
  return !request.method.empty() && request.target.starts_with('/');
}

bool sends_body(const http::Request& request, const http::Response& response) {
  return !request.is_head() && status_has_body(response.status);
}

std::string response_head(const http::Request& request, const http::Response& response) {
  constexpr std::size_t kUsualSize = 1024;
  std::string head;
  head.reserve(kUsualSize);
  head.append("Status: ").append(std::to_string(response.status)) += ' ';
  head.append(http::reason_phrase(response.status)).append("\r\n").append(response.fixed_lines);
  const std::uint64_t size = response.file ? response.file->size : response.body.size();
  bool has_length = size > 0 && status_has_body(response.status);
  if (has_length) head += "Content-Length: " + std::to_string(size) + "\r\n";
  for (const auto& [name, value] : response.headers) {
    if (sys::equals_ignoring_case(name, "Content-Length")) {
      if (has_length) continue;
      has_length = true;
    }
    http::append_header_line(head, name, value);
  }
  if (response.cached) return head;
  if (!has_length && has_empty_body(request, response)) head += "Content-Length: 0\r\n";
  return head += "\r\n";
}

std::string_view response_rest(const http::Request& request, const http::Response& response) {
  const bool has_body = sends_body(request, response);
  if (!response.cached) return has_body ? response.body : std::string_view();
  if (has_body) return response.cached->whole();
  return request.is_head() && response.status == 200 ? response.cached->head()
                                                     : response.cached->head_of_not_modified();
}

}  // namespace goldsmith::fcgi
