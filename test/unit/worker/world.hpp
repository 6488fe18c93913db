// A worker as the program makes it, real throughout, with a clock that tests set.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "app/access/rate_windows.hpp"
#include "app/sys/file.hpp"
#include "app/worker/worker.hpp"
#include "requests.hpp"

namespace goldsmith::worker::test {

class SetClock final : public sys::Clock {
 public:
  std::chrono::system_clock::time_point now() const override { return now_; }
  void advance(std::chrono::seconds by) { now_ += by; }

 private:
  // The first second of a day, so that no window ends in the middle of a test.
  std::chrono::system_clock::time_point now_{std::chrono::hours(24) * 20'000};
};

inline sys::Config config_in(const std::filesystem::path& folder) {
  sys::Config config;
  config.state = folder / "state";
  config.toolchains = folder;
  config.includes = folder;
  config.depot = folder;
  config.archive_cache = folder;
  config.artefact_cache = folder;
  return config;
}

struct World {
  explicit World(const db::ConnectionSettings& connection) : database(connection) {}

  Dispatched ask(const std::string& method, const std::string& target,
                 const std::optional<std::string>& authorization = {}) {
    http::Request request = request_for(method, target);
    request.authorization = authorization;
    return ask(request);
  }
  Dispatched ask(const http::Request& request) { return worker.dispatch(request); }

  sys::TempDir folder;
  sys::Config config = config_in(folder.path());
  SetClock clock;
  access::SharedState state{config.state, access::SharedState::Open::create};
  access::MemoryWindows windows{state};
  db::Database database;
  db::SettingStore setting_store{database};
  db::KeyStore keys{database};
  Worker worker{{config, clock, state, windows, database, folder.path()}};
};

inline std::string header(const Dispatched& dispatched, std::string_view name) {
  const std::string* value = dispatched.response.header(name);
  return value == nullptr ? "(none)" : *value;
}

}  // namespace goldsmith::worker::test
