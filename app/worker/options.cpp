#include "app/worker/options.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

#include <fmt/core.h>
#include <systemd/sd-daemon.h>
#include <boost/program_options.hpp>

namespace goldsmith::worker {

namespace {

namespace po = boost::program_options;

constexpr const char* kDefaultConfigFile = "/etc/goldsmith/goldsmith.conf";

po::options_description describe() {
  po::options_description description("Options");
  description.add_options()  //
      ("config", po::value<std::string>()->value_name("FILE"),
       "configuration file; without this option\n/etc/goldsmith/goldsmith.conf, if it is there; "
       "conf.d/*.conf next to it are\nread after it")  //
      ("socket", po::value<std::string>()->value_name("PATH"),
       "make and serve this Unix socket; without it the listening socket is descriptor 0")  //
      ("pool", po::value<std::string>()->value_name("NAME"),
       "pool of this worker, api (the default) or build; NAME.conf next to the configuration\nfile "
       "is read after it")                                                                       //
      ("check-config", "say whether a worker can start with the configuration, and end")         //
      ("default-config", "show a configuration file with every option at its default, and end")  //
      ("help", "show this text and end")                                                         //
      ("version", "show the version and end");
  return description;
}

// What is left once the configuration's own options are taken out must be the worker's.
po::variables_map parse_rest(const std::vector<std::string>& arguments) {
  const int style = po::command_line_style::unix_style ^ po::command_line_style::allow_guessing;
  const po::options_description description = describe();
  po::variables_map values;
  try {
    po::store(
        po::command_line_parser(arguments).options(description).positional({}).style(style).run(),
        values);
  } catch (const po::error& error) {
    throw base::ConfigError(std::string("the command line: ") + error.what() +
                            "; --help lists the options");
  }
  return values;
}

std::string text_of(const po::variables_map& values, const char* name) {
  const po::variable_value& value = values[name];
  return value.empty() ? "" : value.as<std::string>();
}

Action action_of(const po::variables_map& values) {
  if (values.count("help") != 0) return Action::show_help;
  if (values.count("version") != 0) return Action::show_version;
  if (values.count("default-config") != 0) return Action::show_template;
  return values.count("check-config") != 0 ? Action::check_config : Action::serve;
}

std::string pool_of(const po::variables_map& values) {
  const std::string pool = text_of(values, "pool");
  if (!pool.empty() && pool != "api" && pool != "build") {
    throw base::ConfigError("the command line: --pool is \"" + pool +
                            "\" but must be api or build");
  }
  return pool.empty() ? "api" : pool;
}

limits::TrustedProxies read_proxies(const base::Config& config) {
  try {
    return limits::TrustedProxies(config.trusted_proxies);
  } catch (const std::invalid_argument& error) {
    throw base::ConfigError(std::string("trusted_proxies: ") + error.what());
  }
}

constexpr std::chrono::seconds kInterval{1};

// A manager that does not listen is no reason to stop serving.
void notify(const std::string& message) { static_cast<void>(sd_notify(0, message.c_str())); }

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  // Once without a file, to learn which file to read.
  const po::variables_map values = parse_rest(base::load_config({{}, false, arguments}).rest);
  Options options;
  options.action = action_of(values);
  const bool needs_file = options.action == Action::serve || options.action == Action::check_config;
  if (!needs_file) return options;
  options.socket = text_of(values, "socket");
  options.pool = pool_of(values);
  const bool named = values.count("config") != 0;
  options.config_file = named ? text_of(values, "config") : kDefaultConfigFile;
  base::LoadedConfig loaded =
      base::load_config({base::with_drop_ins(options.config_file, options.pool), named, arguments});
  options.config = std::move(loaded.config);
  options.config_files = std::move(loaded.files);
  options.proxies = read_proxies(options.config);
  return options;
}

std::string help_text() {
  std::ostringstream text;
  text << "Usage: goldsmith-worker [OPTION]...\n"
          "Serves the goldsmith API over FastCGI: one request at a time, until SIGTERM.\n\n"
       << describe()
       << "\nConfiguration, in the file, as --NAME=VALUE or in the environment as GOLDSMITH_NAME:\n"
       << base::config_help();
  return text.str();
}

std::string_view version() { return GOLDSMITH_VERSION; }

void ServiceManager::alive(std::uint64_t requests_served, Time now) {
  if (told_ && now - *told_ < kInterval) return;
  notify(fmt::format("{}\nSTATUS={} requests served", told_ ? "WATCHDOG=1" : "READY=1",
                     requests_served));
  told_ = now;
}

void ServiceManager::stopping() { notify("STOPPING=1"); }

}  // namespace goldsmith::worker
