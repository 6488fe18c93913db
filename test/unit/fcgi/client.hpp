// A FastCGI client of a few lines that speaks raw records, as nginx does with keep_conn off.
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
  bool ended = false;  // an END_REQUEST record came

  bool has(const std::string& line) const;  // a whole line of the head
};

// Method, target and address of a plain request.
Parameters plain(const std::string& method, const std::string& target);

sys::UniqueFd connect_to(const std::filesystem::path& socket);
void send_request(int fd, const Parameters& parameters, bool keep_connection = false);
// All that comes until the server ends the connection, which is then closed from here too, as nginx
// does: libfcgi waits two seconds for that.
Answer read_answer(sys::UniqueFd fd);
Answer ask(const std::filesystem::path& socket, const Parameters& parameters);

}  // namespace goldsmith::fcgi::test
