#include "app/cli/commands/check_host.hpp"

#include <filesystem>
#include <utility>

#include "app/sys/text.hpp"
#include "db/connection.hpp"

namespace goldsmith::cli {

CheckHost::CheckHost(const sys::Config& config, std::function<void(std::chrono::seconds)> wait)
    : database_(db::connection_settings(config.database)),
      plugins_(database_, sys::fold_case),
      verdicts_(database_),
      settings_(database_),
      keys_(database_),
      state_(config.state, access::SharedState::Open::create),
      freshness_(state_, database_, clock_),
      windows_(config.limits_backend, state_, database_),
      gate_({freshness_, settings_, keys_, windows_.chosen(), clock_}),
      toolchains_(config.toolchains, config.includes),
      compiler_(config.compile, std::filesystem::temp_directory_path()),
      metrics_(config.state.parent_path() / "metrics"),
      seats_(config.state.parent_path() / "seats"),
      shares_(seats_, [this] { return metrics_.workers("build"); }),
      ledger_(config.state.parent_path() / "compiles"),
      compiles_({compiler_, ledger_, shares_, clock_}),
      checks_({plugins_, verdicts_, toolchains_, compiles_, clock_, gate_.background_start_permit(),
               std::move(wait)}) {}

}  // namespace goldsmith::cli
