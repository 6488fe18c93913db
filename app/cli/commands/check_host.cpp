#include "app/cli/commands/check_host.hpp"

#include <utility>

#include "db/database.hpp"

namespace goldsmith::cli {

CheckHost::CheckHost(const sys::Config& config, std::function<void(std::chrono::seconds)> wait)
    : database_(db::connection_settings(config.database)),
      plugins_(database_),
      verdicts_(database_),
      settings_(database_),
      keys_(database_),
      state_(config.state, access::SharedState::Open::create),
      freshness_(state_, database_, clock_),
      windows_(access::make_windows(config.limits_backend, state_, database_)),
      gate_({freshness_, settings_, keys_, *windows_, clock_}),
      compiler_(compile::command_compiler(config.compile)),
      metrics_(config.state.parent_path() / "metrics"),
      compile_(config, config.state.parent_path(), clock_, compiler_,
               [this] { return metrics_.workers("build"); }),
      checks_({plugins_, verdicts_, compile_.toolchains, compile_.compiles, clock_,
               gate_.background_start_permit(), std::move(wait)}) {}

}  // namespace goldsmith::cli
