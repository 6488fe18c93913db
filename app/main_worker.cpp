// The composition root of `goldsmith-worker`: one single-threaded process behind a FastCGI socket.
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "app/access/gate.hpp"
#include "app/fcgi/server.hpp"
#include "app/sys/log.hpp"
#include "app/sys/text.hpp"
#include "app/worker/dispatch.hpp"
#include "app/worker/metered_compiler.hpp"
#include "app/worker/options.hpp"
#include "app/worker/request_log.hpp"
#include "app/worker/service_manager.hpp"
#include "db/key_store.hpp"
#include "db/overlay_store.hpp"
#include "db/setting_store.hpp"
#include "db/window_store.hpp"

namespace goldsmith {
namespace {

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kBadConfiguration = 2;

// Everything that a handler works with. The database is connected on first use, so that a worker
// starts, and answers what it can, while the database is down.
class Parts {
 public:
  explicit Parts(const sys::Config& config)
      : config_(config),
        state_(config.state, access::SharedState::Open::create),
        database_(db::connection_settings(config.database)),
        toolchains_(config.toolchains, config.includes),
        metrics_(config.state.parent_path() / "metrics"),
        compiler_(config.compile, std::filesystem::temp_directory_path(), metrics_),
        compiled_plugins_(config.artefact_cache, toolchains_, compiler_),
        depot_(config.depot),
        cache_(config.archive_cache) {}

  worker::Dispatched dispatch(const http::Request& request) {
    metrics_.set_busy(true);
    return worker::dispatch(request, services_, kept_);
  }

  // Once the response is on its way.
  void count(const worker::Handled& handled, int status) {
    metrics_.set_busy(false);
    if (handled.route == "status") return;
    metrics_.add("goldsmith_requests_total",
                 {{"route", handled.route}, {"status", std::to_string(status)}});
    metrics_.observe("goldsmith_request_duration_seconds", {{"route", handled.route}},
                     std::chrono::duration<double>(handled.duration).count());
  }

  void join(const std::string& pool) { metrics_.join(pool); }

 private:
  access::RateWindows& windows() {
    if (config_.limits_backend == sys::LimitsBackend::mysql) return shared_windows_;
    return memory_windows_;
  }

  const sys::Config& config_;
  const sys::SystemClock clock_;
  access::SharedState state_;
  db::Database database_;
  db::PluginStore plugins_{database_, sys::fold_case};
  db::AddonStore addons_{database_};
  db::ComponentStore components_{database_};
  db::OverlayStore overlays_{database_};
  db::DownloadLog log_{database_};
  db::SettingStore settings_{database_};
  db::KeyStore keys_{database_};
  db::WindowStore database_windows_{database_};
  access::MemoryWindows memory_windows_{state_};
  access::DatabaseWindows shared_windows_{database_windows_};
  access::Freshness freshness_{state_, database_, clock_};
  access::Gate gate_{{freshness_, settings_, keys_, windows(), clock_}};
  service::PluginIndex plugin_index_{plugins_, clock_};
  const compile::Toolchains toolchains_;
  sys::Metrics metrics_;
  const worker::MeteredCompiler compiler_;
  const service::CompiledPluginCache compiled_plugins_;
  const archive::Depot depot_;
  const archive::ArchiveCache cache_;
  service::PluginDownloads downloads_{plugins_, log_, toolchains_, compiler_, clock_};
  service::ServerBuilds builds_{
      {components_, plugins_, overlays_, depot_, cache_, compiled_plugins_}};
  handlers::Services services_{config_,  clock_,        state_,  freshness_,  gate_,
                               plugins_, plugin_index_, addons_, components_, downloads_,
                               builds_,  database_,     metrics_};
  worker::CachedRoutes kept_;
};

std::string caller_address(const access::TrustedProxies& proxies, const http::Request& request) {
  const auto forwarded = request.headers.find("x-forwarded-for");
  return proxies.caller_address(request.remote_address,
                                forwarded == request.headers.end() ? "" : forwarded->second);
}

void log_start(const worker::Options& options) {
  sys::log(sys::LogLevel::info, "worker started",
           {{"version", std::string(worker::version())},
            {"config", options.config_file.string()},
            {"socket", options.socket.empty() ? "descriptor 0" : options.socket.string()}});
  if (!options.config.compile.sandbox) {
    sys::log(sys::LogLevel::warning,
             "compile.sandbox is off: plugin sources are compiled without protection, which is for "
             "developers only");
  }
}

int serve(const worker::Options& options) {
  using Clock = std::chrono::steady_clock;
  log_start(options);
  Parts parts(options.config);
  parts.join(options.pool);
  worker::ServiceManager manager;
  worker::Handled handled;  // of the request in flight
  std::uint64_t served = 0;
  const auto application = [&](http::Request request) {
    request.remote_address = caller_address(options.proxies, request);
    const Clock::time_point start = Clock::now();
    worker::Dispatched dispatched = parts.dispatch(request);
    const auto duration =
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
    handled = {std::move(dispatched.route), std::move(dispatched.tier), duration};
    return std::move(dispatched.response);
  };
  const auto logger = [&](const http::Request& request, const http::Response& response) {
    ++served;
    parts.count(handled, response.status);
    worker::log_request(request, response, std::exchange(handled, {}));
  };
  const auto on_idle = [&] { manager.alive(served, Clock::now()); };
  const int code = fcgi::serve({options.socket, on_idle}, application, logger);
  manager.stopping();
  sys::log(sys::LogLevel::info, "worker stopped", {{"requests", std::to_string(served)}});
  return code;
}

int check_config(const worker::Options& options) {
  if (options.config_file.empty()) {
    std::cout << "no configuration file; the defaults and the environment are good\n";
  } else {
    std::cout << options.config_file.string() << " is good\n";
  }
  return kGood;
}

int act(const worker::Options& options) {
  switch (options.action) {
    case worker::Action::show_help:
      std::cout << worker::help_text();
      return kGood;
    case worker::Action::show_version:
      std::cout << "goldsmith-worker " << worker::version() << '\n';
      return kGood;
    case worker::Action::show_template:
      std::cout << sys::config_template();
      return kGood;
    case worker::Action::check_config:
      return check_config(options);
    case worker::Action::serve:
      break;
  }
  return serve(options);
}

int run(const std::vector<std::string>& arguments) {
  try {
    return act(worker::parse_options(arguments));
  } catch (const sys::ConfigError& error) {
    sys::log(sys::LogLevel::error, error.what());
    return kBadConfiguration;
  } catch (const std::exception& error) {
    sys::log(sys::LogLevel::error, "the worker can't run", {{"cause", error.what()}});
    return kFailed;
  }
}

}  // namespace
}  // namespace goldsmith

int main(int argc, char** argv) {
  // A client that goes away is an error of write(2), not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  return goldsmith::run(std::vector<std::string>(argv + 1, argv + argc));
}
