// What the handlers of one worker work with, put together once. The program and the tests make the
// same: what has an effect outside of the process is passed in.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/access/caller.hpp"
#include "app/access/drain_mark.hpp"
#include "app/access/freshness.hpp"
#include "app/access/gate.hpp"
#include "app/access/rate_windows.hpp"
#include "app/access/shared_state.hpp"
#include "app/archive/archive_cache.hpp"
#include "app/archive/depot.hpp"
#include "app/compile/compiler.hpp"
#include "app/http/request.hpp"
#include "app/http/response.hpp"
#include "app/service/archive_digests.hpp"
#include "app/service/catalog_cache.hpp"
#include "app/service/compile_stack.hpp"
#include "app/service/compiled_plugin_cache.hpp"
#include "app/service/include_supply.hpp"
#include "app/service/plugin_downloads.hpp"
#include "app/service/plugin_index.hpp"
#include "app/service/plugin_sources.hpp"
#include "app/service/server_builds.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "app/sys/metrics.hpp"
#include "db/addon_store.hpp"
#include "db/build_store.hpp"
#include "db/component_store.hpp"
#include "db/database.hpp"
#include "db/download_log.hpp"
#include "db/key_store.hpp"
#include "db/overlay_store.hpp"
#include "db/plugin_store.hpp"
#include "db/setting_store.hpp"
#include "handlers/errors.hpp"
#include "handlers/pages/site.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

// All must outlive the services.
struct Environment {
  const sys::Config& config;
  const sys::Clock& clock;
  access::SharedState& state;
  access::RateWindows& windows;
  // Connected on first use, so that a worker starts, and answers what it can, while the database is
  // down.
  db::Database& database;
  std::filesystem::path scratch;  // compiles run in folders below it
  // Answers what is read of the directory and the catalog; null = `database` does.
  db::Database* replicas = nullptr;
};

struct Services {
  // Throws sys::FileError when what workers share beside the shared state, `metrics`, `compiles`,
  // `compiled_plugins`, `digests` and `seats`, can't be made.
  explicit Services(const Environment& environment);

  // What the first request would have to do otherwise: the fingerprints of the toolchains.
  void prepare() { compile_stack.watch.generation(); }
  // Does what a request left to be done once its response is on its way.
  void after_response();

  const sys::Config& config;
  const sys::Clock& clock;
  access::SharedState& state;
  db::Database& database;

  const std::filesystem::path shared;        // the folder of what the host's workers share
  const std::filesystem::path fill_request;  // see archive::request_fill
  const access::DrainMark drained;
  sys::Metrics metrics;
  const views::Urls urls;
  const Errors errors;
  const pages::Site site;

  db::PluginStore plugins;
  const service::PluginSources plugin_sources;
  db::PluginStore counters;  // of the primary, never of a replica
  db::AddonStore addons;
  db::ComponentStore components;
  db::OverlayStore overlays;
  db::BuildStore build_store;
  db::DownloadLog download_log;
  db::SettingStore settings;
  db::KeyStore keys;

  access::Freshness freshness;
  access::Gate gate;

  const std::unique_ptr<const compile::Compiler> compiler;
  service::CompileStack compile_stack;
  const archive::Depot depot;
  const archive::ArchiveCache archives;
  const service::CompiledPluginCache compiled_plugins;
  service::PluginIndex index;
  service::CatalogCache catalog;
  service::IncludeSupply component_includes;
  service::PluginDownloads downloads;
  service::LibraryPlugins libraries;
  service::ArchiveDigests digests;
  service::ServerBuilds builds;
};

// One call of a handler.
struct Call {
  const http::Request& request;
  const std::vector<std::string>& path;  // the `{…}` segments of the route, decoded, in order
  const access::Caller& caller;
  const http::Query& query;  // the route's parameters
};

}  // namespace goldsmith::handlers
