// All that a worker composes, real throughout, with a clock that tests set.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/access/gate.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"
#include "app/worker/dispatch.hpp"
#include "db/key_store.hpp"
#include "db/overlay_store.hpp"
#include "db/setting_store.hpp"
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

struct World {
  explicit World(const db::ConnectionSettings& connection) : database(connection) {}

  Dispatched ask(const std::string& method, const std::string& target,
                 const std::optional<std::string>& authorization = {}) {
    http::Request request = request_for(method, target);
    request.authorization = authorization;
    return ask(request);
  }
  Dispatched ask(const http::Request& request) { return dispatch(request, services, kept); }

  sys::TempDir folder;
  sys::Config config;
  SetClock clock;
  access::SharedState state{folder.path() / "state", access::SharedState::Open::create};
  db::Database database;
  db::PluginStore plugins{database, sys::fold_case};
  db::AddonStore addons{database};
  db::ComponentStore components{database};
  db::OverlayStore overlays{database};
  db::DownloadLog log{database};
  db::SettingStore setting_store{database};
  db::KeyStore keys{database};
  access::MemoryWindows windows{state};
  access::Freshness freshness{state, database, clock};
  access::Gate gate{{freshness, setting_store, keys, windows, clock}};
  service::PluginIndex plugin_index{plugins, clock};
  compile::Toolchains toolchains{folder.path(), folder.path()};
  compile::Compiler compiler{config.compile, folder.path()};
  service::CompiledPluginCache artefacts{folder.path(), toolchains, compiler};
  archive::Depot depot{folder.path()};
  archive::ArchiveCache cache{folder.path()};
  service::PluginDownloads downloads{plugins, log, toolchains, compiler, clock};
  service::ServerBuilds builds{{components, plugins, overlays, depot, cache, artefacts}};
  sys::Metrics metrics{folder.path() / "metrics"};
  handlers::Services services{config,  clock,        state,  freshness,  gate,
                              plugins, plugin_index, addons, components, downloads,
                              builds,  database,     metrics};
  CachedRoutes kept;
};

inline std::string header(const Dispatched& dispatched, std::string_view name) {
  const std::string* value = dispatched.response.header(name);
  return value == nullptr ? "(none)" : *value;
}

}  // namespace goldsmith::worker::test
