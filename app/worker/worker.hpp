// All that answers requests in one worker process, put together once. The program and the tests
// make the same one: what has an effect outside of the process is passed in.
#pragma once

#include <filesystem>
#include <string_view>

#include "app/access/gate.hpp"
#include "app/access/rate_windows.hpp"
#include "app/access/shared_state.hpp"
#include "app/archive/archive_cache.hpp"
#include "app/archive/depot.hpp"
#include "app/service/archive_digests.hpp"
#include "app/service/catalog_cache.hpp"
#include "app/service/compile_stack.hpp"
#include "app/service/compiled_plugin_cache.hpp"
#include "app/service/plugin_downloads.hpp"
#include "app/service/plugin_index.hpp"
#include "app/service/server_builds.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "app/sys/metrics.hpp"
#include "app/worker/cached_routes.hpp"
#include "app/worker/dispatch.hpp"
#include "app/worker/metered_compiler.hpp"
#include "db/addon_store.hpp"
#include "db/build_store.hpp"
#include "db/component_store.hpp"
#include "db/database.hpp"
#include "db/download_log.hpp"
#include "db/key_store.hpp"
#include "db/overlay_store.hpp"
#include "db/plugin_store.hpp"
#include "db/setting_store.hpp"
#include "handlers/routes.hpp"
#include "handlers/selections.hpp"
#include "handlers/status.hpp"

namespace goldsmith::worker {

class Worker {
 public:
  // All must outlive the worker.
  struct Environment {
    const sys::Config& config;
    const sys::Clock& clock;
    access::SharedState& state;
    access::RateWindows& windows;
    // Connected on first use, so that a worker starts, and answers what it can, while the database
    // is down.
    db::Database& database;
    std::filesystem::path scratch;  // compiles run in folders below it
    // Answers what is read of the directory and the catalog; null = `database` does.
    db::Database* replicas = nullptr;
  };
  // Throws sys::FileError when what workers share beside the shared state, `metrics`, `compiles`,
  // `compiled_plugins`, `digests` and `seats`, can't be made.
  explicit Worker(const Environment& environment);

  // What the first request would have to do otherwise: the fingerprints of the toolchains.
  void prepare() { compile_.watch.generation(); }

  Dispatched dispatch(const http::Request& request) {
    compile_.time.begin();
    return dispatcher_.dispatch(request);
  }

  // Does what a request left to be done once its response is on its way.
  void after_response() {
    digests_.compute_pending();
    downloads_.after_response();
  }

  sys::Metrics& metrics() { return metrics_; }

 private:
  handlers::pages::PageHandlers make_pages(const Environment& environment);
  handlers::Handlers make_handlers(const Environment& environment);

  sys::Metrics metrics_;
  const handlers::views::Urls urls_;
  const handlers::Errors errors_;
  const handlers::pages::Site site_;

  db::PluginStore plugins_;
  db::PluginStore counters_;
  db::AddonStore addons_;
  db::ComponentStore components_;
  db::OverlayStore overlays_;
  db::BuildStore build_store_;
  db::DownloadLog download_log_;
  db::SettingStore settings_;
  db::KeyStore keys_;

  access::Freshness freshness_;
  access::Gate gate_;

  const MeteredCompiler compiler_;
  service::CompileStack compile_;
  const archive::Depot depot_;
  const archive::ArchiveCache archives_;
  const service::CompiledPluginCache compiled_plugins_;
  service::PluginIndex plugin_index_;
  service::PluginDownloads downloads_;
  service::CatalogCache catalog_;
  service::ArchiveDigests digests_;
  service::ServerBuilds builds_;

  handlers::Selections selections_;
  handlers::Handlers handlers_;
  handlers::StatusHandler status_;
  CachedRoutes routes_;
  Dispatcher dispatcher_;
};

}  // namespace goldsmith::worker
