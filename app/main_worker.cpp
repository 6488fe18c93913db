// The composition root of `goldsmith-worker`: one single-threaded process behind a FastCGI socket.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/base/file.hpp"
#include "app/base/log.hpp"
#include "app/host/shared_file.hpp"
#include "app/limits/rate_windows.hpp"
#include "app/web/server.hpp"
#include "app/worker/dispatch.hpp"
#include "app/worker/options.hpp"
#include "app/worker/request_log.hpp"
#include "db/database.hpp"
#include "handlers/builds.hpp"

namespace goldsmith {
namespace {

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kBadConfiguration = 2;

void log_start(const worker::Options& options) {
  base::log(base::LogLevel::info, "worker started",
            {{"version", std::string(worker::version())},
             {"config", options.config_files.empty() ? "" : options.config_file.string()},
             {"socket", options.socket.empty() ? "descriptor 0" : options.socket.string()}});
  if (!options.config.compile.sandbox) {
    base::log(
        base::LogLevel::warning,
        "compile.sandbox is off: plugin sources are compiled without protection, which is for "
        "developers only");
  }
}

// Between the accept loop and the dispatcher: times, counts and logs each request.
class Service {
 public:
  Service(handlers::Services& services, const worker::Options& options)
      : services_(services),
        dispatcher_(services),
        proxies_(options.proxies),
        log_(options.config.log_requests) {}

  web::Response answer(web::Request& request) {
    worker::apply_forwarded(proxies_, request);
    services_.metrics.set_busy(true);
    const auto start = std::chrono::steady_clock::now();
    worker::Dispatched dispatched = dispatcher_.dispatch(request);
    const auto duration = std::chrono::steady_clock::now() - start;
    handled_ = {dispatched.route, dispatched.tier,
                std::chrono::duration_cast<std::chrono::microseconds>(duration)};
    return std::move(dispatched.response);
  }

  // Once the response is on its way.
  void finish(const web::Request& request, const web::Response& response) {
    ++served_;
    host::Metrics& metrics = services_.metrics;
    metrics.set_busy(false);
    if (handled_.route != "status") {
      metrics.requests.add(handled_.route, response.status);
      metrics.request_duration.observe(handled_.route, handled_.duration);
    }
    log_.log(request, response, std::exchange(handled_, {}), std::chrono::steady_clock::now());
    services_.after_response();
  }

  std::uint64_t served() const { return served_; }

 private:
  handlers::Services& services_;
  worker::Dispatcher dispatcher_;
  const limits::TrustedProxies& proxies_;
  worker::RequestLog log_;
  worker::Handled handled_;  // the request in flight
  std::uint64_t served_ = 0;
};

// Null where the configuration names none.
std::unique_ptr<db::Database> replicas_of(const base::DatabaseConfig& config,
                                          db::Database& primary) {
  db::ConnectionSettings settings = db::worker_replica_settings(config);
  if (settings.servers.empty()) return nullptr;
  return std::make_unique<db::Database>(std::move(settings), primary);
}

// All that a worker is made of but its socket: what it can't be made with, --check-config refuses,
// too. The options must outlive it.
struct Worker {
  explicit Worker(const worker::Options& options)
      : state(options.config.state, limits::SharedState::Open::create),
        database(db::worker_settings(options.config.database)),
        replicas(replicas_of(options.config.database, database)),
        windows(limits::make_windows(options.config.limits_backend, state, database)),
        services({options.config, clock, state, *windows, database,
                  std::filesystem::temp_directory_path(), replicas.get()}),
        service(services, options) {
    services.prepare();
  }

  const base::SystemClock clock;
  limits::SharedState state;
  db::Database database;
  const std::unique_ptr<db::Database> replicas;
  const std::unique_ptr<limits::RateWindows> windows;
  handlers::Services services;
  Service service;
};

int serve(const worker::Options& options) {
  log_start(options);
  Worker made(options);
  made.services.metrics.join(options.pool);
  Service& service = made.service;
  worker::ServiceManager manager;
  limits::Gate& gate = made.services.gate;
  const auto on_idle = [&] {
    manager.alive(service.served(), std::chrono::steady_clock::now());
    gate.keep_uses();
    if (options.pool == "build") handlers::forget_changed_selections(made.services);
  };
  const auto application = [&](web::Request& request) { return service.answer(request); };
  const auto logger = [&](const web::Request& request, const web::Response& response) {
    service.finish(request, response);
  };
  const int code = web::serve({options.socket, on_idle}, application, logger);
  manager.stopping();
  gate.keep_uses(true);
  base::log(base::LogLevel::info, "worker stopped",
            {{"requests", std::to_string(service.served())}});
  return code;
}

// A worker that serves nobody. The files that workers share are made elsewhere: here they belong to
// another user, and workers may run.
void try_to_make(worker::Options options) {
  const std::filesystem::path state = options.config.state;
  try {
    static_cast<void>(host::open_shared(state, host::OpenShared::existing));
  } catch (const base::FileError& error) {
    const bool can_be_made =
        error.error_number() == ENOENT && std::filesystem::is_directory(state.parent_path());
    if (!can_be_made) throw;
  }
  const base::TempDir folder;
  options.config.state = folder.path() / "state";
  const Worker made(options);
}

int check_config(const worker::Options& options) {
  try_to_make(options);
  if (options.config_files.empty()) {
    std::cout << "no configuration file; the defaults and the environment are good\n";
  }
  for (const auto& file : options.config_files) std::cout << file.string() << " is good\n";
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
      std::cout << base::config_template();
      return kGood;
    case worker::Action::check_config:
      return check_config(options);
    case worker::Action::serve:
      break;
  }
  return serve(options);
}

// What was printed, such as --default-config, is whole, or the process has failed.
int printed(int code) {
  if (std::cout.flush() || base::is_reader_gone(STDOUT_FILENO)) return code;
  throw std::runtime_error("standard output can't be written");
}

int run(const std::vector<std::string>& arguments) {
  try {
    return printed(act(worker::parse_options(arguments)));
  } catch (const base::ConfigError& error) {
    base::log(base::LogLevel::error, error.what());
    return kBadConfiguration;
  } catch (const std::exception& error) {
    base::log(base::LogLevel::error, "the worker can't run", {{"cause", error.what()}});
    return kFailed;
  }
}

}  // namespace
}  // namespace goldsmith

int main(int argc, char** argv) {
  goldsmith::base::open_standard_files();
  // A client that goes away is an error of write(2), not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  return goldsmith::run(std::vector<std::string>(argv + 1, argv + argc));
}
