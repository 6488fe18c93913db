// What the plugins of a server cost it while players are there (rule S53).
#pragma once

#include <chrono>
#include <map>
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
  // Of FrameCosts::frame: 0 = nothing noticeable. Absent = not known, of which `unknown` says why.
  std::optional<int> percent = {};
  std::string unknown = {};
};

// Why it is not known what a plugin costs. The first holds for good.
inline constexpr const char* kHooksWhatIsSent =
    "what is sent to clients is hooked, and players that are made up are sent nothing";
inline constexpr const char* kHasErrors = "run-time errors with 32 players take time, too";
inline constexpr const char* kLeftToChance = "chance may hide it";

struct FrameCosts {
  std::chrono::nanoseconds frame{0};  // with all plugins of the server
  FrameCost all;
  std::vector<FrameCost> plugins;  // in the order in which they are listed
};

// Runs the server once with Server::player and all that was added. It is `Server::play` for that
// which is set here. Takes some ten seconds of processor time, more with many plugins. `asked`: the
// file that alone is asked about; "" = all. Throws what start_server() throws, and NotTried where
// the server does not run to the end, or, before anything is run, with kHooksWhatIsSent if nothing
// that is asked about can be measured.
FrameCosts measure_frame_costs(Server server, const base::StartConfig& config,
                               const std::string& asked = "", const HostFiles& host_files = {});

// From what the players told (Console::facts) on a server with these files. `unknown`: those of
// which it can't be told what they cost, with why.
FrameCosts frame_costs(const std::vector<std::vector<std::string>>& facts,
                       const std::vector<std::string>& files,
                       const std::map<std::string, std::string>& unknown = {});

}  // namespace goldsmith::start
