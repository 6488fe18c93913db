// What handlers work with. Made once by the worker; handlers keep no state of their own.
#pragma once

#include "app/archive/archive_cache.hpp"
#include "app/service/plugin_downloads.hpp"
#include "app/service/server_builds.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "db/addon_store.hpp"
#include "db/component_store.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::handlers {

struct Services {
  const sys::Config& config;
  const sys::Clock& clock;
  db::PluginStore& plugins;
  db::AddonStore& addons;
  db::ComponentStore& components;
  service::PluginDownloads& downloads;
  service::ServerBuilds& builds;
};

}  // namespace goldsmith::handlers
