#include "app/directory/check_host.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include "app/host/account.hpp"

namespace goldsmith::directory {

CheckHost::CheckHost(const base::Config& config, std::function<void(std::chrono::seconds)> wait,
                     db::Drafts drafts, compile::Texts texts)
    : database(db::connection_settings(config.database)),
      stock(config, database, std::move(texts), drafts),
      state(config.state, limits::SharedState::Open::create),
      windows(limits::make_windows(config.limits_backend, state, database)),
      gate({freshness, settings, keys, *windows, clock}),
      compiler(compile::command_compiler(config.compile)),
      metrics(config.state.parent_path() / host::Metrics::kFile),
      stack(config, config.state.parent_path(), clock, compiler,
            [this] { return metrics.workers("build"); }),
      checks({stock.plugin_sources, verdicts, stack.toolchains, stack.compiles, clock,
              [this](const std::string& line) { return stock.includes.newest(line, 0); },
              [this](const std::string& line) { return stock.catalog.platform_natives(line, 0); },
              gate.background_start_permit(), std::move(wait)}) {}

creator::ServerBuilds CheckHost::server_builds(const base::Config& config) {
  return {stock, stack, config, config.state.parent_path(),
          [this] { return freshness.verdicts(); }};
}

base::Config config_for_builds(base::Config config, const std::filesystem::path& own) {
  if (!host::is_folder_of_another(config.archive_cache)) return config;
  config.archive_cache = own / "archives";
  config.artefact_cache = own / "plugins";
  config.state = own / "state";
  for (const auto* folder : {&config.archive_cache, &config.artefact_cache}) {
    std::filesystem::create_directory(*folder);
  }
  return config;
}

}  // namespace goldsmith::directory
