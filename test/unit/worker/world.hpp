// A worker as the program makes it, real throughout, with a clock that tests set.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "app/base/file.hpp"
#include "app/limits/rate_windows.hpp"
#include "app/web/message.hpp"
#include "app/worker/dispatch.hpp"
#include "requests.hpp"

namespace goldsmith::worker::test {

class SetClock final : public base::Clock {
 public:
  std::chrono::system_clock::time_point now() const override { return now_; }
  void advance(std::chrono::seconds by) { now_ += by; }

 private:
  // The first second of a day, so that no window ends in the middle of a test.
  std::chrono::system_clock::time_point now_{std::chrono::hours(24) * 20'000};
};

inline web::Response received(const web::Request& request, const web::Response& sent) {
  web::Response response;
  response.status = sent.status;
  std::string rest = web::response_head(request, sent);
  rest += web::response_rest(request, sent);
  rest.erase(0, rest.find("\r\n") + 2);  // the status line
  for (std::size_t end = 0; (end = rest.find("\r\n")) != 0; rest.erase(0, end + 2)) {
    const std::size_t colon = rest.find(": ");
    response.headers.emplace_back(rest.substr(0, colon), rest.substr(colon + 2, end - colon - 2));
  }
  response.body = rest.substr(2);
  return response;
}

inline base::Config config_in(const std::filesystem::path& folder) {
  base::Config config;
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
    web::Request request = request_for(method, target);
    request.authorization = authorization;
    return ask(request);
  }
  // As the client gets it: also a cached response with its headers and body.
  Dispatched ask(const web::Request& request) {
    Dispatched dispatched = dispatcher.dispatch(request);
    dispatched.response = received(request, dispatched.response);
    return dispatched;
  }

  base::TempDir folder;
  base::Config config = config_in(folder.path());
  SetClock clock;
  limits::SharedState state{config.state, limits::SharedState::Open::create};
  limits::MemoryWindows windows{state};
  db::Database database;
  db::SettingStore setting_store{database};
  db::KeyStore keys{database};
  handlers::Services services{{config, clock, state, windows, database, folder.path()}};
  Dispatcher dispatcher{services};
};

inline std::string header(const Dispatched& dispatched, std::string_view name) {
  const std::string* value = dispatched.response.header(name);
  return value == nullptr ? "(none)" : *value;
}

}  // namespace goldsmith::worker::test
