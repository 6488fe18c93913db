// What compiles as the build workers do, for one thread of `goldsmith plugin check`.
#pragma once

#include <functional>
#include <memory>

#include "app/access/gate.hpp"
#include "app/access/rate_windows.hpp"
#include "app/access/shared_state.hpp"
#include "app/archive/depot.hpp"
#include "app/service/compile_checks.hpp"
#include "app/service/compile_stack.hpp"
#include "app/service/include_supply.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "app/sys/metrics.hpp"
#include "db/component_store.hpp"
#include "db/database.hpp"
#include "db/key_store.hpp"
#include "db/setting_store.hpp"

namespace goldsmith::cli {

struct CheckHost {
  // Opens a connection of its own, and what the processes of the host share. `wait` as of
  // service::CompileChecks. Throws db::Error, sys::FileError.
  CheckHost(const sys::Config& config, std::function<void(std::chrono::seconds)> wait)
      : database(db::connection_settings(config.database)),
        state(config.state, access::SharedState::Open::create),
        windows(access::make_windows(config.limits_backend, state, database)),
        gate({freshness, settings, keys, *windows, clock}),
        compiler(compile::command_compiler(config.compile)),
        metrics(config.state.parent_path() / "metrics"),
        stack(config, config.state.parent_path(), clock, compiler,
              [this] { return metrics.workers("build"); }),
        depot(config.depot),
        checks({service::PluginSources(plugins), verdicts, stack.toolchains, stack.compiles, clock,
                [this](const std::string& line) { return includes.newest(line, 0); },
                [this](const std::string& line) { return catalog.platform_natives(line, 0); },
                gate.background_start_permit(), std::move(wait)}) {}

  sys::SystemClock clock;
  db::Database database;
  db::PluginStore plugins{database};
  db::VerdictStore verdicts{database};
  db::SettingStore settings{database};
  db::KeyStore keys{database};
  access::SharedState state;
  access::Freshness freshness{state, database, clock};
  std::unique_ptr<access::RateWindows> windows;
  access::Gate gate;
  compile::Compiler compiler;
  sys::Metrics metrics;
  service::CompileStack stack;
  archive::Depot depot;
  db::ComponentStore components{database};
  service::CatalogCache catalog{components};
  service::IncludeSupply includes{catalog, components, depot};
  service::CompileChecks checks;
};

}  // namespace goldsmith::cli
