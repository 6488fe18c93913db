// The worker's command line.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/config.hpp"
#include "app/limits/rate_windows.hpp"

namespace goldsmith::worker {

enum class Action { serve, check_config, show_template, show_help, show_version };

struct Options {
  Action action = Action::serve;
  std::filesystem::path config_file;                // with what is read after it
  std::vector<std::filesystem::path> config_files;  // that were read
  std::filesystem::path socket;                     // "" = descriptor 0
  std::string pool = "api";        // which pool this worker is one of: api or build
  base::Config config;             // of serve and check_config
  limits::TrustedProxies proxies;  // of the configuration
};

// Reads the arguments (without the program's name), the environment and the configuration file: the
// one that `--config` names, which must exist, or /etc/goldsmith/goldsmith.conf, which may not.
// After it: conf.d/*.conf in the same folder, then the file named after the pool, api.conf or
// build.conf. Throws base::ConfigError.
Options parse_options(const std::vector<std::string>& arguments);

std::string help_text();
std::string_view version();

// What systemd is told of a worker (sd_notify(3)). Does nothing where NOTIFY_SOCKET is not set.
class ServiceManager {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // To be called between requests. The first call says READY, later ones keep the watchdog quiet,
  // at most once a second: PID 1 reads each message, and thousands a second would slow all workers.
  void alive(std::uint64_t requests_served, Time now);
  void stopping();

 private:
  std::optional<Time> told_;
};

}  // namespace goldsmith::worker
