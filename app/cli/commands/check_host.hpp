// What compiles as the build workers do, for one thread of `goldsmith plugin check`.
#pragma once

#include <functional>
#include <memory>

#include "app/access/gate.hpp"
#include "app/access/rate_windows.hpp"
#include "app/access/shared_state.hpp"
#include "app/service/compile_checks.hpp"
#include "app/service/compile_stack.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "app/sys/metrics.hpp"
#include "db/database.hpp"
#include "db/key_store.hpp"
#include "db/setting_store.hpp"

namespace goldsmith::cli {

class CheckHost {
 public:
  // Opens a connection of its own, and what the processes of the host share. `wait` as of
  // service::CompileChecks. Throws db::Error, sys::FileError.
  CheckHost(const sys::Config& config, std::function<void(std::chrono::seconds)> wait);

  service::CompileChecks& checks() { return checks_; }

 private:
  sys::SystemClock clock_;
  db::Database database_;
  db::PluginStore plugins_;
  db::VerdictStore verdicts_;
  db::SettingStore settings_;
  db::KeyStore keys_;
  access::SharedState state_;
  access::Freshness freshness_;
  std::unique_ptr<access::RateWindows> windows_;
  access::Gate gate_;
  compile::Compiler compiler_;
  sys::Metrics metrics_;
  service::CompileStack compile_;
  service::CompileChecks checks_;
};

}  // namespace goldsmith::cli
