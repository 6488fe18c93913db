// Resolves server builds outside of the workers, for the operator's command. The plans come from
// the same catalog, overlays and compiled plugins, so they have the same build hashes. Nothing is
// compiled, built or written.
#pragma once

#include "app/service/compile_stack.hpp"
#include "app/service/server_builds.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "app/sys/file.hpp"
#include "db/component_store.hpp"

namespace goldsmith::service {

class OfflineBuilds {
 public:
  // All arguments must outlive the object. Throws sys::FileError.
  OfflineBuilds(const sys::Config& config, const sys::Clock& clock, db::Database& database);

  // See ServerBuilds::resolve. A plugin that no worker has compiled for the selection yet ends in
  // NeedsCompile.
  Resolved resolve(const creator::SelectionRequest& request);

 private:
  sys::TempDir own_;  // of the files that workers share
  db::ComponentStore components_;
  db::PluginStore plugins_;
  db::OverlayStore overlays_;
  compile::Compiler compiler_;
  CompileStack compile_;
  archive::Depot depot_;
  archive::ArchiveCache cache_;
  CompiledPluginCache compiled_plugins_;
  CatalogCache catalog_;
  ServerBuilds builds_;
};

}  // namespace goldsmith::service
