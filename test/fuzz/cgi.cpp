// CGI variables, of which clients choose the values, and what becomes of them in a response's head.
#include <algorithm>

#include "app/fcgi/message.hpp"
#include "app/sys/log.hpp"
#include "app/sys/text.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

http::Request read(std::string_view input) {
  std::vector<std::string> variables;
  while (!input.empty()) variables.emplace_back(fuzz::take_until(input, '\n'));
  std::vector<const char*> pointers;
  for (const std::string& variable : variables) pointers.push_back(variable.c_str());
  pointers.push_back(nullptr);
  return fcgi::read_request(pointers.data());
}

// No value begins another line.
void check_head(const http::Request& request) {
  http::Response response;
  for (const auto& [name, value] : request.headers) response.set_header("X-" + name, value);
  response.headers.emplace_back("Location", request.target);
  const std::string head = fcgi::response_head(request, response);
  const auto lines = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n'));
  const bool has_length = head.find("\r\nContent-Length: ") != std::string::npos;
  require(lines == 1 + response.headers.size() + (has_length ? 1 : 0) + 1,
          "a head has a line for each header");
  require(std::count(head.begin(), head.end(), '\r') == std::count(head.begin(), head.end(), '\n'),
          "each with its end");
  require(head.ends_with("\r\n\r\n"), "and a blank one");
}

void check_log(const http::Request& request) {
  std::vector<sys::LogField> fields{{"target", request.target}, {"method", request.method}};
  for (const auto& [name, value] : request.headers) fields.push_back({"header", value});
  const std::string line = sys::format_log_line("a request", fields);
  require(std::none_of(line.begin(), line.end(),
                       [](char byte) { return static_cast<unsigned char>(byte) < 0x20; }),
          "a line of the log is one line");
}

}  // namespace

FUZZ_TARGET(cgi, "app/fcgi/message.cpp app/sys/log.cpp") {
  const http::Request request = read(input);
  require(!request.id.empty() && request.id.size() <= 64 &&
              request.id.find_first_of(" \t\"=\\") == std::string::npos,
          "an id is a token");
  for (const auto& [name, value] : request.headers) {
    require(name == sys::to_lower_ascii(name) && name.find('_') == std::string::npos,
            "names are in lower case");
  }
  check_head(request);
  check_log(request);
}
