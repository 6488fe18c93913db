// One run of a server's engine in the sandbox.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/host/process.hpp"
#include "app/host/sandbox.hpp"
#include "app/start/console.hpp"
#include "app/start/server_start.hpp"

namespace goldsmith::start {

using Names = std::vector<std::string>;  // of plugins, as they are listed

// The file of Server::player, the last in the list of plugins.
inline constexpr const char* kPlayer = "svc_play.amxx";

struct EngineRun {
  Console console;
  // How it ended before it was asked for everything, or played to the end; "" = it was.
  std::string end;
  bool was_executed = true;  // false: the server could not be laid out, whatever is listed
  // It ended for what the sandbox forbids, or lacks: see Report::is_of_sandbox.
  bool is_of_sandbox = false;
};

// A server that is run several times, with other plugins in its list.
class Engine {
 public:
  // All arguments must outlive the object. Throws Unavailable, NotTried, base::FileError.
  Engine(const Server& server, const base::StartConfig& config, const HostFiles& host_files,
         const StartLimits& limits);

  // With these of the added plugins. Throws Unavailable, NotTried, base::FileError,
  // base::Interrupted.
  EngineRun run(const Names& plugins);

  // Of all runs.
  int runs() const { return runs_; }
  std::chrono::microseconds duration() const { return duration_; }
  std::chrono::microseconds processor_time() const { return processor_time_; }

 private:
  struct Descriptors {
    int changes;
    int input;
    int status;
  };

  host::Command command(const Descriptors& descriptors, const host::MemoryFolder& folder) const;
  host::View view(const Names& plugins) const;
  host::MemoryFolder folder_for(const base::UniqueFd& changes) const;
  std::string steam_library() const;
  // How it ended before it was asked for everything. `kills`: host::kills_for_memory() before.
  // Throws NotTried where that says nothing.
  std::string end_of(const host::ProcessOutcome& outcome, std::optional<std::uint64_t> kills) const;
  bool is_emulated() const { return !config_.emulator.empty(); }
  bool plays() const { return !server_.player.empty(); }

  const Server& server_;
  const base::StartConfig& config_;
  const HostFiles& host_files_;
  const StartLimits& limits_;
  const base::TempDir folder_{"/tmp", "goldsmith-start"};
  base::UniqueFd stand_ins_;
  int runs_ = 0;
  std::chrono::microseconds duration_{0};
  std::chrono::microseconds processor_time_{0};
};

}  // namespace goldsmith::start
