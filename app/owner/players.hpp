// Who plays on a server of this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace goldsmith::owner {

struct ServerAddress {
  std::string host = "127.0.0.1";  // of IPv4, in digits
  std::uint16_t port = 27015;
};

// "HOST:PORT", "HOST" or "PORT"; std::nullopt if it is none of them.
std::optional<ServerAddress> parse_address(std::string_view text);
// Of the process of a server, by its command line.
ServerAddress address_of_process(int process);

// Players that are no bots, by the server's answer to A2S_INFO; std::nullopt if it does not answer
// within three seconds.
std::optional<int> players_on(const ServerAddress& address);
// Of an answer, which may have any bytes.
std::optional<int> players_in(std::string_view answer);

}  // namespace goldsmith::owner
