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

struct OfflineBuilds {
  // All arguments must outlive the object. Throws sys::FileError.
  OfflineBuilds(const sys::Config& config, const sys::Clock& clock, db::Database& database)
      : components(database),
        plugins(database),
        overlays(database),
        compiler(config.compile, own.path()),
        stack(config, own.path(), clock, compiler, [] { return std::size_t{1}; }),
        depot(config.depot),
        cache(config.archive_cache),
        compiled_plugins(stack, artefact_folder(config), own.path() / "compiled_plugins") {}

  // See ServerBuilds::resolve. A plugin that no worker has compiled for the selection yet ends in
  // NeedsCompile.
  Resolved resolve(const creator::SelectionRequest& request) {
    return builds.resolve(request, std::nullopt, 0);
  }

  sys::TempDir own;  // of the files that workers share
  db::ComponentStore components;
  db::PluginStore plugins;
  PluginSources sources{plugins};
  db::OverlayStore overlays;
  compile::Compiler compiler;
  CompileStack stack;
  archive::Depot depot;
  archive::ArchiveCache cache;
  CompiledPluginCache compiled_plugins;
  CatalogCache catalog{components};
  IncludeSupply includes{catalog, components, depot};
  LibraryPlugins libraries{plugins, stack.watch, [] { return std::int64_t{0}; }};
  ServerBuilds builds{{catalog, sources, overlays, depot, cache, compiled_plugins, includes,
                       stack.limits, stack.watch, libraries}};
};

}  // namespace goldsmith::service
