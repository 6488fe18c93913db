// Plans of server builds outside of the workers, for the operator's command: from the same catalog,
// overlays and compiled plugins, so with the same build hashes. Compiles, builds and writes
// nothing.
#pragma once

#include "app/service/server_builds.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "app/sys/file.hpp"
#include "db/component_store.hpp"

namespace goldsmith::service {

class OfflineBuilds {
 public:
  // All must outlive it. Throws sys::FileError.
  OfflineBuilds(const sys::Config& config, const sys::Clock& clock, db::Database& database);

  // See ServerBuilds::resolve. A plugin that no worker has compiled for the selection yet ends in
  // NeedsCompile.
  Resolved resolve(const creator::SelectionRequest& request);

 private:
  sys::TempDir own_;  // what workers share; of this process alone here
  db::ComponentStore components_;
  db::PluginStore plugins_;
  db::OverlayStore overlays_;
  compile::Toolchains toolchains_;
  ToolchainWatch watch_;
  compile::Compiler compiler_;
  sys::Seats seats_;
  WorkerShares shares_;
  compile::Ledger ledger_;
  FairCompiles compiles_;
  archive::Depot depot_;
  archive::ArchiveCache cache_;
  FolderBudget budget_;
  CompiledPluginCache compiled_plugins_;
  CatalogCache catalog_;
  ServerBuilds builds_;
};

}  // namespace goldsmith::service
