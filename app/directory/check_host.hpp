// What compiles outside of a request as the build workers do: for one thread of a command.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/compile/scheduler.hpp"
#include "app/creator/catalog.hpp"
#include "app/creator/server_builds.hpp"
#include "app/directory/compile_checks.hpp"
#include "app/host/metrics.hpp"
#include "app/limits/gate.hpp"
#include "app/limits/rate_windows.hpp"
#include "db/access_store.hpp"
#include "db/database.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::directory {

// It takes from the budgets of this host, and shares verdicts and turns with its workers: so it
// writes in their folder (`state`). creator::OfflineBuilds does not, and compiles nothing.
struct CheckHost {
  // Opens a connection of its own, and what the processes of the host share. `config` must outlive
  // the object; `wait` as of CompileChecks. Throws db::Error and base::FileError.
  CheckHost(const base::Config& config, std::function<void(std::chrono::seconds)> wait,
            db::Drafts drafts = db::Drafts::hidden, compile::Texts texts = compile::text_reader());

  // Servers of this host. `config`: its own, or that of config_for_builds(). It and the object must
  // outlive the result. Throws base::FileError.
  creator::ServerBuilds server_builds(const base::Config& config);

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
  CompileChecks checks;
};

// Whoever is not the user of the workers keeps what it compiles for servers in a folder of its own:
// root, because that user may put links in theirs, and others, who may not write there. The files
// that processes share are beside `state`.
base::Config config_for_builds(base::Config config, const std::filesystem::path& own);

}  // namespace goldsmith::directory
