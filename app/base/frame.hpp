// Messages of several parts through a socket between two processes of one host.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::base {

struct FrameLimits {
  std::size_t parts = 0;
  std::size_t bytes = 0;  // of all parts together
};

// For a socket that does not block: called several times a second while it is waited for; what it
// throws passes.
using BeforeWait = std::function<void()>;

// Sends a message. False if nobody reads it any more.
bool send_frame(int socket, const std::vector<std::string_view>& parts,
                const BeforeWait& before_wait = {});
// Receives one. std::nullopt at the end of the stream, and for what is none or exceeds the limits.
std::optional<std::vector<std::string>> receive_frame(int socket, const FrameLimits& limits,
                                                      const BeforeWait& before_wait = {});

}  // namespace goldsmith::base
