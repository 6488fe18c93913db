// What the handlers of one worker work with, put together once. The program and the tests make the
// same: what has an effect outside of the process is passed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/compile/compiler.hpp"
#include "app/compile/scheduler.hpp"
#include "app/creator/agreed_files.hpp"
#include "app/creator/archive_digests.hpp"
#include "app/creator/catalog.hpp"
#include "app/creator/name_index.hpp"
#include "app/creator/server_builds.hpp"
#include "app/directory/need_index.hpp"
#include "app/directory/plugin_downloads.hpp"
#include "app/directory/plugin_index.hpp"
#include "app/host/metrics.hpp"
#include "app/limits/freshness.hpp"
#include "app/limits/gate.hpp"
#include "app/limits/rate_windows.hpp"
#include "app/web/request.hpp"
#include "app/web/response.hpp"
#include "db/access_store.hpp"
#include "db/addon_store.hpp"
#include "db/database.hpp"
#include "db/download_log.hpp"
#include "db/plugin_store.hpp"
#include "handlers/errors.hpp"
#include "handlers/pages/site.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

// All must outlive the services.
struct Environment {
  const base::Config& config;
  const base::Clock& clock;
  limits::SharedState& state;
  limits::RateWindows& windows;
  // Connected on first use, so that a worker starts, and answers what it can, while the database is
  // down.
  db::Database& database;
  std::filesystem::path scratch;  // compiles run in folders below it
  // Answers what is read of the directory and the catalog; null = `database` does.
  db::Database* replicas = nullptr;
};

// What game clients get at the address of a selection.
struct SelectionFiles {
  std::string id;
  std::uint64_t epoch = 0;                // of limits::Freshness, that `files` is of
  std::vector<db::SelectedBuild> builds;  // the newest first, as `files` counts them
  creator::AgreedFiles files;
};

struct Services : creator::Stock {
  // Throws base::FileError when what workers share beside the shared state, `counters`, `compiles`,
  // `compiled_plugins`, `digests` and `seats`, can't be made, and base::ConfigError when the logo
  // of the pages can't be read.
  explicit Services(const Environment& environment);

  // What the first request would have to do otherwise: the fingerprints of the toolchains.
  void prepare() { compile_service.watch.generation(); }
  // Does what a request left to be done once its response is on its way.
  void after_response();

  // The build or the selection that game clients begin to download; "" = none. Its files are
  // provided after the response.
  std::string wanted_resources;
  std::optional<SelectionFiles> selection_files;            // that clients asked for last
  std::chrono::steady_clock::time_point selections_seen{};  // see forget_changed_selections()

  const base::Config& config;
  const base::Clock& clock;
  limits::SharedState& state;
  db::Database& database;

  const std::filesystem::path shared;        // the folder of what the host's workers share
  const std::filesystem::path fill_request;  // see archive::request_fill
  const limits::DrainMark drained;
  host::Metrics metrics;
  const views::Urls urls;
  const Errors errors;
  const pages::Site site;

  db::PluginStore counters;  // of the primary, never of a replica
  db::AddonStore addons;
  db::BuildStore build_store;
  db::DownloadLog download_log;
  db::SettingStore settings;
  db::KeyStore keys;

  limits::Freshness freshness;
  limits::Gate gate;

  const std::unique_ptr<const compile::Compiler> compiler;
  compile::CompileService compile_service;
  creator::ServerBuilds builds;
  creator::NameIndexCache names;
  directory::NeedIndex needs;
  directory::PluginIndex index;
  directory::PluginDownloads downloads;
  creator::ArchiveDigests digests;
};

// One call of a handler.
struct Call {
  const web::Request& request;
  const std::vector<std::string>& path;  // the `{…}` segments of the route, decoded, in order
  const limits::Caller& caller;
  const web::Query& query;  // the route's parameters
};

}  // namespace goldsmith::handlers
