// A minimal FastCGI client that sends raw records, as nginx does.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/base/file.hpp"

namespace goldsmith::web::test {

using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Answer {
  std::string head;  // without the blank line
  std::string body;
  bool ended = false;  // an END_REQUEST record was received

  bool has(const std::string& line) const;  // a complete line of the head
};

// Method, target and address of a simple request.
Parameters plain(const std::string& method, const std::string& target);

base::UniqueFd connect_to(const std::filesystem::path& socket);
std::string request_records(const Parameters& parameters, bool keep_connection = false);
void send_request(int fd, const Parameters& parameters, bool keep_connection = false);
// Reads until the server closes the connection.
Answer read_answer(base::UniqueFd fd);
// Reads up to the END_REQUEST record; the connection stays open.
Answer read_next_answer(int fd);
// True if the server closes the connection within ten seconds, without a further byte.
bool is_closed_by_server(int fd);
Answer ask(const std::filesystem::path& socket, const Parameters& parameters);

}  // namespace goldsmith::web::test
