// The start of a server that somebody named.
#pragma once

#include <string>
#include <variant>

#include "app/creator/plan.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/permit.hpp"
#include "app/start/frame_cost.hpp"
#include "app/start/host.hpp"
#include "app/start/server_start.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::start {

// All of it outlives the start.
struct NamedServer {
  const creator::Plan& plan;
  const creator::ServerBuilds& builds;
  db::PluginStore& plugins;
  const domain::Permit& may_compile;
};

struct NamedStart {
  Report report;  // of the play, if it was played
  bool is_played = false;
  std::string unplayed = {};  // why it was not, although all of it runs; "" = not said
};

// Starts the server, and once more with players if all of it runs; or with `tells_facts` once,
// where it has the facts of its plugins and models that they lack are made up. Throws as
// start_plan() does, and with `tells_facts` as player_for().
NamedStart start_named(const NamedServer& server, bool tells_facts, const Host& host);

// What its plugins cost; the report of its start if not all of it runs. Throws as start_plan(),
// player_for() and measure_frame_costs() do.
std::variant<Report, FrameCosts> measure_named(const NamedServer& server, const Host& host);

}  // namespace goldsmith::start
