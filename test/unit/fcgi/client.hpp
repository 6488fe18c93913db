// A minimal FastCGI client that sends raw records, as nginx does with keep_conn off.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/sys/file.hpp"

namespace goldsmith::fcgi::test {

using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Answer {
  std::string head;  // without the blank line
  std::string body;
  bool ended = false;  // an END_REQUEST record was received

  bool has(const std::string& line) const;  // a complete line of the head
};

// Method, target and address of a simple request.
Parameters plain(const std::string& method, const std::string& target);

sys::UniqueFd connect_to(const std::filesystem::path& socket);
void send_request(int fd, const Parameters& parameters, bool keep_connection = false);
// Reads until the server closes its side of the connection, then closes it, as nginx does: libfcgi
// waits for that for two seconds.
Answer read_answer(sys::UniqueFd fd);
Answer ask(const std::filesystem::path& socket, const Parameters& parameters);

}  // namespace goldsmith::fcgi::test
