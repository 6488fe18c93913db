// CGI variables, of which clients choose the values, and what becomes of them in a response's head.
#include <algorithm>

#include "app/base/log.hpp"
#include "app/base/text.hpp"
#include "app/web/message.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

web::Request read(std::string_view input) {
  std::vector<std::string> variables;
  while (!input.empty()) variables.emplace_back(fuzz::take_until(input, '\n'));
  std::vector<const char*> pointers;
  for (const std::string& variable : variables) pointers.push_back(variable.c_str());
  pointers.push_back(nullptr);
  return web::read_request(pointers.data());
}

// No value begins another line.
void check_head(const web::Request& request) {
  web::Response response;
  for (const auto& [name, value] : request.headers) response.set_header("X-" + name, value);
  response.headers.emplace_back("Location", request.target);
  const std::string head = web::response_head(request, response);
  const auto lines = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n'));
  const bool has_length = head.find("\r\nContent-Length: ") != std::string::npos;
  require(lines == 1 + response.headers.size() + (has_length ? 1 : 0) + 1,
          "a head has a line for each header");
  require(std::count(head.begin(), head.end(), '\r') == std::count(head.begin(), head.end(), '\n'),
          "each with its end");
  require(head.ends_with("\r\n\r\n"), "and a blank one");
}

void check_log(const web::Request& request) {
  std::vector<base::LogField> fields{{"target", request.target}, {"method", request.method}};
  for (const auto& [name, value] : request.headers) fields.push_back({"header", value});
  const std::string line = base::format_log_line("a request", fields);
  require(std::none_of(line.begin(), line.end(),
                       [](char byte) { return static_cast<unsigned char>(byte) < 0x20; }),
          "a line of the log is one line");
}

}  // namespace

FUZZ_TARGET(cgi, "app/web/message.cpp app/base/log.cpp") {
  const web::Request request = read(input);
  require(!request.id.empty() && request.id.size() <= 64 &&
              request.id.find_first_of(" \t\"=\\") == std::string::npos,
          "an id is a token");
  for (const auto& [name, value] : request.headers) {
    require(name == base::to_lower_ascii(name) && name.find('_') == std::string::npos,
            "names are in lower case");
  }
  check_head(request);
  check_log(request);
}
