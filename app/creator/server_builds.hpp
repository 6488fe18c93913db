// Servers as callers ask for them: resolved, previewed and built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/archive/archive_cache.hpp"
#include "app/archive/depot.hpp"
#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/base/lru_cache.hpp"
#include "app/compile/compiled_plugin_cache.hpp"
#include "app/compile/plugin_sources.hpp"
#include "app/compile/scheduler.hpp"
#include "app/compile/toolchain.hpp"
#include "app/creator/catalog.hpp"
#include "app/creator/plan.hpp"
#include "app/domain/permit.hpp"
#include "app/limits/concurrency.hpp"
#include "db/component_store.hpp"
#include "db/overlay_store.hpp"

namespace goldsmith::creator {

// Preview of a file for display (decision S12). Pure.

inline constexpr std::size_t kPreviewLimit = 512 * 1024;

struct Preview {
  std::string content;            // UTF-8; "" if binary
  const char* charset = "utf-8";  // of the file, detected if it is not UTF-8; "" = in doubt
  bool binary = false;
  bool truncated = false;
};

// `start` has the first bytes of the file: min(size, limit) of them, and up to 3 more if the file
// is longer. `size` is that of the whole file. Throws what base::from_code_page() throws.
Preview preview(std::string_view start, std::uint64_t size, std::size_t limit = kPreviewLimit);

// The server creator's work: resolve a selection to a plan, preview a file, build the archive.

// A plan points into the catalog that it was made from; this keeps both.
struct ResolvedPlan {
  std::shared_ptr<const domain::Catalog> catalog;
  std::vector<std::shared_ptr<const domain::ComponentVersion>> versions;
  creator::Plan plan;
};

using Resolved = std::variant<std::shared_ptr<const ResolvedPlan>, creator::InvalidSelection,
                              creator::EmptySelection>;

class ServerBuilds {
 public:
  struct Dependencies {
    CatalogCache& catalog;
    const compile::PluginSources& plugins;
    db::OverlayStore& overlays;
    const archive::Depot& depot;
    const archive::ArchiveCache& cache;
    const compile::CompiledPluginCache& compiled_plugins;
    IncludeSupply& includes;
    limits::ConcurrencyLimits& limits;
    compile::ToolchainWatch& toolchains;
    LibraryPlugins& libraries;
  };
  explicit ServerBuilds(Dependencies dependencies) : dependencies_(dependencies) {}

  // `may_compile` is asked before each start of a compiler; std::nullopt = never compile: a
  // selection with a plugin that was not compiled yet throws NeedsCompile. `epoch`: of
  // limits::Freshness; what was resolved is kept while it stands. No more of the plugins is read
  // than what is compiled now. Throws domain::Failure when nothing can be compiled or the plugins
  // have too many files, db::Error, PluginGone, base::FileError and, where a plugin includes what a
  // component ships, archive::MissingDepotFile and ZipError.
  Resolved resolve(const creator::SelectionRequest& request,
                   const std::optional<domain::Permit>& may_compile, std::uint64_t epoch);

  // The start of one planned file, for display. Throws archive::MissingDepotFile,
  // archive::ZipError, base::FileError, db::Error and PluginGone.
  creator::Preview preview(const creator::Plan& plan, const creator::PlannedFile& file) const;

  bool available() const { return dependencies_.cache.available(); }
  // The plan's archive, if it is in the cache; see ArchiveCache::acquire.
  std::optional<archive::Acquired> acquire(const creator::Plan& plan) const {
    return dependencies_.cache.acquire(plan.build_hash);
  }
  // The plan's archive, built if it is not in the cache; see ArchiveCache::build. The plugins'
  // files are read one at a time. Throws also db::Error and PluginGone.
  archive::Acquired acquire(const creator::Plan& plan, const domain::Permit& may_build) const;

 private:
  Resolved make_plan(const creator::SelectionRequest& request,
                     const std::optional<domain::Permit>& may_compile, std::uint64_t epoch);

  Dependencies dependencies_;
  // What all plans_ are made from: limits::Freshness::epoch(), and ToolchainWatch::generation() as
  // of the last plan with plugins.
  std::pair<std::uint64_t, std::uint64_t> basis_;
  base::LruCache<std::shared_ptr<const ResolvedPlan>> plans_;
};

// Resolves server builds outside of the workers, for the operator's command. The plans come from
// the same catalog, overlays and compiled plugins, so they have the same build hashes. Nothing is
// compiled, built or written.
struct OfflineBuilds {
  // All arguments must outlive the object. Throws base::FileError.
  OfflineBuilds(const base::Config& config, const base::Clock& clock, db::Database& database)
      : components(database),
        plugins(database),
        overlays(database),
        compiler(config.compile, own.path()),
        stack(config, own.path(), clock, compiler, [] { return std::size_t{1}; }),
        depot(config.depot),
        cache(config.archive_cache),
        compiled_plugins(stack, compile::artefact_folder(config), own.path() / "compiled_plugins") {
  }

  // See ServerBuilds::resolve. A plugin that no worker has compiled for the selection yet throws
  // NeedsCompile.
  Resolved resolve(const creator::SelectionRequest& request) {
    return builds.resolve(request, std::nullopt, 0);
  }

  base::TempDir own;  // of the files that workers share
  db::ComponentStore components;
  db::PluginStore plugins;
  compile::PluginSources sources{plugins};
  db::OverlayStore overlays;
  compile::Compiler compiler;
  compile::CompileStack stack;
  archive::Depot depot;
  archive::ArchiveCache cache;
  compile::CompiledPluginCache compiled_plugins;
  CatalogCache catalog{components};
  IncludeSupply includes{catalog, components, depot};
  LibraryPlugins libraries{plugins, stack.watch, [] { return std::int64_t{0}; }};
  ServerBuilds builds{{catalog, sources, overlays, depot, cache, compiled_plugins, includes,
                       stack.limits, stack.watch, libraries}};
};

}  // namespace goldsmith::creator
