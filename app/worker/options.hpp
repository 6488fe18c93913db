// The worker's command line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/access/address.hpp"
#include "app/sys/config.hpp"

namespace goldsmith::worker {

enum class Action { serve, check_config, show_template, show_help, show_version };

struct Options {
  Action action = Action::serve;
  std::filesystem::path config_file;                // with what is read after it
  std::vector<std::filesystem::path> config_files;  // that were read
  std::filesystem::path socket;                     // "" = descriptor 0
  std::string pool = "api";        // which pool this worker is one of: api or build
  sys::Config config;              // of serve and check_config
  access::TrustedProxies proxies;  // of the configuration
};

// Reads the arguments (without the program's name), the environment and the configuration file: the
// one that `--config` names, which must exist, or /etc/goldsmith/goldsmith.conf, which may not.
// After it: conf.d/*.conf in the same folder, then the file named after the pool, api.conf or
// build.conf. Throws sys::ConfigError.
Options parse_options(const std::vector<std::string>& arguments);

std::string help_text();
std::string_view version();

}  // namespace goldsmith::worker
