// The server of a plan: its archive opened, started with what is needed beside it, and played.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/creator/plan.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/permit.hpp"
#include "app/start/server_start.hpp"

namespace goldsmith::start {

// What a server is started with beside what its archive has.
struct StartedBeside {
  std::vector<AddedPlugin> plugins = {};
  std::vector<archive::MemoryFile> files = {};
  std::string player = {};  // of player_for(); "" = nobody plays
  Questions::Play play = Questions::Play::life;
};

// An archive that is open for reading: that in the cache, or one without a name. Throws
// archive::MissingDepotFile, base::FileError and db::Error.
base::UniqueFd open_archive(const creator::Plan& plan, const creator::ServerBuilds& builds);
// The archive as a server that can be started. Throws NotTried if it can't be read.
Server server_of(const creator::Plan& plan, const base::UniqueFd& zip, const StartedBeside& beside);
// Throws Unavailable, NotTried, base::FileError and base::Interrupted.
Report start_archive(const creator::Plan& plan, const base::UniqueFd& zip,
                     const base::StartConfig& config, const StartedBeside& beside = {},
                     const StartLimits& limits = {});
// Both of them. Throws Unavailable, NotTried, archive::MissingDepotFile, base::FileError,
// base::Interrupted and db::Error.
Report start_plan(const creator::Plan& plan, const creator::ServerBuilds& builds,
                  const base::StartConfig& config, const StartedBeside& beside = {},
                  const StartLimits& limits = {});

// What plays on a server of the plan's platform. Throws Unbuildable where it has none, or nothing
// compiles for it, and Refused.
std::string player_for(const creator::Plan& plan, const creator::ServerBuilds& builds,
                       const domain::Permit& may_compile);

// What players find on a server that was started; absent if not all of it runs, or nobody plays.
// `player`: of player_for(); "" = nobody. Throws as start_archive() does.
std::optional<Report> play_archive(const creator::Plan& plan, const base::UniqueFd& zip,
                                   const Report& started, const std::string& player,
                                   const base::StartConfig& config);

}  // namespace goldsmith::start
