// What compiles as the build workers do, for one thread of `goldsmith plugin check`.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/cli/output.hpp"
#include "app/compile/scheduler.hpp"
#include "app/creator/catalog.hpp"
#include "app/creator/server_builds.hpp"
#include "app/directory/compile_checks.hpp"
#include "app/host/metrics.hpp"
#include "app/limits/gate.hpp"
#include "app/limits/rate_windows.hpp"
#include "db/access_store.hpp"
#include "db/database.hpp"

namespace goldsmith::cli {

struct CheckHost {
  // Opens a connection of its own, and what the processes of the host share. `wait` as of
  // directory::CompileChecks. Throws db::Error, base::FileError.
  CheckHost(const base::Config& config, std::function<void(std::chrono::seconds)> wait,
            db::Drafts drafts = db::Drafts::hidden)
      : database(db::connection_settings(config.database)),
        stock(config, database, drafts),
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

  base::SystemClock clock;
  db::Database database;
  creator::Stock stock;
  db::VerdictStore verdicts{database};
  db::SettingStore settings{database};
  db::KeyStore keys{database};
  limits::SharedState state;
  limits::Freshness freshness{state, database, clock};
  std::unique_ptr<limits::RateWindows> windows;
  limits::Gate gate;
  compile::Compiler compiler;
  host::Metrics metrics;
  compile::CompileService stack;
  directory::CompileChecks checks;
};

// Servers of that host. `config`: its own, or that of config_for_builds(). Both arguments must
// outlive the result. Throws base::FileError.
inline creator::ServerBuilds server_builds(CheckHost& host, const base::Config& config) {
  return {host.stock, host.stack, config, config.state.parent_path(),
          [&host] { return host.freshness.verdicts(); }};
}

// What `goldsmith plugin check` tells.
struct CheckedVersion {
  const db::CheckableVersion* version = nullptr;
  std::vector<directory::CheckedCompile> compiles;
  std::vector<domain::StartVerdict> starts = {};
};

// How many compiles ended how.
struct Totals {
  std::size_t compiled = 0;
  std::size_t ok = 0;
  std::size_t failed = 0;
  std::size_t undecided = 0;
  std::size_t without = 0;       // no result, because of this host
  std::set<std::string> causes;  // of those
};

Totals totals_of(const std::vector<CheckedVersion>& all);

// The table has a column for each toolchain; the JSON also tells needs and errors.
Listing<CheckedVersion> checked_listing();

// A table and a sum for people: all of them if plugins were named, otherwise those that do not
// compile everywhere.
void print_checked(const std::vector<CheckedVersion>& all, bool by_name, std::ostream& out);

}  // namespace goldsmith::cli
