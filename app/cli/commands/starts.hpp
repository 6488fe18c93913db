// Starts of servers for commands: one that was built, those that nobody has started yet, and trials
// of what the recommended server would be with something else in it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/context.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/timestamp.hpp"
#include "app/host/turn_queue.hpp"
#include "app/start/server_start.hpp"
#include "db/component_store.hpp"

namespace goldsmith::cli {

// Of a query string.
creator::SelectionRequest request_of(const std::string& query);
// What it names that is no part of a selection: the first eight.
std::vector<std::string> unknown_parameters(const std::string& query);

// What stands in the way of a selection, in one line.
std::string problems_of(const creator::InvalidSelection& invalid);

using Resolve = std::function<creator::Resolved(const creator::SelectionRequest&)>;

// Throws Failure if a plugin stands in the way.
creator::Resolved try_to_resolve(const creator::SelectionRequest& request,
                                 const Resolve& resolve_request);
// Throws Failure if there is none.
std::shared_ptr<const creator::ResolvedPlan> plan_of(const creator::Resolved& resolved);

// Throws Failure if the selection can't be built.
std::shared_ptr<const creator::ResolvedPlan> resolve(const creator::SelectionRequest& request,
                                                     const Resolve& resolve_request);

// What a server is started with beside what its archive has.
struct StartedBeside {
  std::vector<start::AddedPlugin> plugins = {};
  std::vector<archive::MemoryFile> files = {};
  std::string player = {};   // of player_for(); "" = nobody plays
  bool tells_facts = false;  // start::Server::tells_facts
};

// What players find on a server that was started; absent if not all of it runs, or there is none
// of what is needed to play: then `cause` may say why. Throws as start_archive() does.
std::optional<start::Report> play_archive(const creator::Plan& plan, const base::UniqueFd& zip,
                                          const start::Report& started,
                                          const creator::ServerBuilds& builds,
                                          const domain::Permit& may_compile,
                                          const base::StartConfig& config, std::string& cause);

// What plays on a server of the plan's platform. Throws Failure where it has none, or nothing
// compiles for it.
std::string player_for(const creator::Plan& plan, const creator::ServerBuilds& builds,
                       const domain::Permit& may_compile);

// Whoever is not the user of the workers keeps what it compiles for servers in a folder of its own:
// root, because that user may put links in theirs, and others, who may not write there. The files
// that processes share are beside `state`.
base::Config config_for_builds(base::Config config, const std::filesystem::path& own);

// An archive that is open for reading: that in the cache, or one without a name. Throws
// archive::MissingDepotFile, base::FileError and db::Error.
base::UniqueFd open_archive(const creator::Plan& plan, const creator::ServerBuilds& builds);
// Throws start::Unavailable, start::NotTried, base::FileError and base::Interrupted.
start::Report start_archive(const creator::Plan& plan, const base::UniqueFd& zip,
                            const base::StartConfig& config, const StartedBeside& beside = {},
                            const start::StartLimits& limits = {});
// Both of them. Throws start::Unavailable,
// start::NotTried, archive::MissingDepotFile, base::FileError, base::Interrupted and db::Error.
start::Report start_plan(const creator::Plan& plan, const creator::ServerBuilds& builds,
                         const base::StartConfig& config, const StartedBeside& beside = {},
                         const start::StartLimits& limits = {});

// The queue of those that start servers in the background, for a turn each.
host::TurnQueue start_turns(const base::Config& config);

// Keeps for the doctor, in a file beside `state`, why servers could not be started here the last
// time; "" = they could.
void note_starts(Context& context, const std::string& cause);
// What is kept; absent = nothing was tried yet, or they could be.
struct Standstill {
  std::string cause;
  domain::Timestamp since{};
};
std::optional<Standstill> find_standstill(const base::Config& config);

// Those that run without an error.
std::size_t running_plugins(const start::Report& report);

// As the API and --json call it.
std::string_view name_of(start::Report::Outcome outcome);

// What is wrong, a line each: "FILE: REASON" of plugins first.
std::vector<std::string> lines_of(const start::Report& report);
// "started, 24 plugins running, 1 faulty: …", with the first of lines_of().
std::string summary_of(const start::Report& report);

// Starts what this host keeps and was not started yet, then the recommended server and every
// published pack, and keeps the outcomes. Throws Untried if this host can start nothing.
void start_pending(Context& context);

// The recommended stack with the named components, in these versions, and what they require: those
// of its own with which they can't be are left out. Throws Failure if it can't be built.
std::shared_ptr<const creator::ResolvedPlan> resolve_with(
    const std::vector<creator::Token>& components, const std::vector<creator::Token>& plugins,
    const domain::Catalog& catalog, const Resolve& resolve_request);

// What the recommended server with one version of a component is like.
struct Trial {
  std::optional<start::Report> report;  // absent = it could not be tried
  std::string cause = {};               // why not
  bool is_possible = true;              // false: no such server can be built, whoever tries it
  // What natives gave whose result is known, by name: what is wrong; "" = nothing.
  std::map<std::string, std::string> probed = {};
};
// `progress` is told when it starts.
using Progress = std::function<void(std::string_view what)>;
Trial try_version(const db::VersionName& version, const Progress& progress, Context& context);

// In what a server is worse than the one before, for people; "" = in nothing. Less than before that
// is loaded is worse, too, when all of it runs.
std::string decline(const start::Report& now, const start::Report& before);

}  // namespace goldsmith::cli
