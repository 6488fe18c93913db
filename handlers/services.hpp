// What handlers work with. Made once by the worker; handlers keep no state of their own.
#pragma once

#include "app/access/caller.hpp"
#include "app/access/freshness.hpp"
#include "app/access/gate.hpp"
#include "app/access/shared_state.hpp"
#include "app/http/request.hpp"
#include "app/service/plugin_downloads.hpp"
#include "app/service/plugin_index.hpp"
#include "app/service/server_builds.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "app/sys/metrics.hpp"
#include "db/addon_store.hpp"
#include "db/component_store.hpp"
#include "db/database.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::handlers {

struct Services {
  const sys::Config& config;
  const sys::Clock& clock;
  access::SharedState& state;
  access::Freshness& freshness;
  access::Gate& gate;
  db::PluginStore& plugins;
  service::PluginIndex& plugin_index;
  db::AddonStore& addons;
  db::ComponentStore& components;
  service::PluginDownloads& downloads;
  service::ServerBuilds& builds;
  db::Database& database;
  sys::Metrics& metrics;
};

// One call of a handler.
struct Call {
  const http::Request& request;
  const std::vector<std::string>& path;  // the `{…}` segments of the route, decoded, in order
  const access::Caller& caller;
  Services& services;
};

}  // namespace goldsmith::handlers
