// What the plugins of a server cost it while players are there (rule S53).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/start/server_start.hpp"

namespace goldsmith::start {

// Of processor time, a frame of 10 ms with 32 players, who walk, shoot, die and spawn.
struct FrameCost {
  std::string file;  // of the plugin, as listed; "" = all that were added, together
  std::chrono::nanoseconds frame{0};   // of a frame; may be below 0, by chance
  std::chrono::nanoseconds spread{0};  // by how much that may be wrong
  // Of FrameCosts::frame: 0 = nothing noticeable. Absent = chance may hide more than that, or what
  // it does for clients was not seen.
  std::optional<int> percent = {};
};

struct FrameCosts {
  std::chrono::nanoseconds frame{0};  // with all plugins of the server
  FrameCost all;
  std::vector<FrameCost> plugins;  // in the order in which they are listed
};

// Runs the server once with Server::player and all that was added. It is `Server::play` for that
// which is set here. Takes some ten seconds of processor time, more with many plugins. Throws
// what start_server() throws, and NotTried where the server does not run to the end, or all that
// was added hooks what is sent to clients.
FrameCosts measure_frame_costs(Server server, const base::StartConfig& config,
                               const HostFiles& host_files = {});

// From what the players told (Console::facts) on a server with these files. What the `unknown` of
// them cost can't be told: they hook what is sent to clients, or had errors, which take time.
FrameCosts frame_costs(const std::vector<std::vector<std::string>>& facts,
                       const std::vector<std::string>& files,
                       const std::vector<std::string>& unknown = {});

}  // namespace goldsmith::start
