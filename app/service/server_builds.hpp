// The server creator's work: resolve a selection to a plan, preview a file, build the archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/archive/archive_cache.hpp"
#include "app/archive/depot.hpp"
#include "app/creator/plan.hpp"
#include "app/creator/preview.hpp"
#include "app/domain/permit.hpp"
#include "app/service/catalog_cache.hpp"
#include "app/service/compile_outcomes.hpp"
#include "app/service/compiled_plugin_cache.hpp"
#include "app/service/concurrency_limits.hpp"
#include "app/service/include_supply.hpp"
#include "app/service/library_plugins.hpp"
#include "app/service/plugin_sources.hpp"
#include "app/service/toolchain_watch.hpp"
#include "app/sys/lru_cache.hpp"
#include "db/overlay_store.hpp"

namespace goldsmith::service {

// A plan points into the catalog that it was made from; this keeps both.
struct ResolvedPlan {
  std::shared_ptr<const domain::Catalog> catalog;
  std::vector<std::shared_ptr<const domain::ComponentVersion>> versions;
  creator::Plan plan;
};

using Resolved = std::variant<std::shared_ptr<const ResolvedPlan>, creator::InvalidSelection,
                              creator::EmptySelection, creator::Excess, CompileObstacle>;

class ServerBuilds {
 public:
  struct Dependencies {
    CatalogCache& catalog;
    const PluginSources& plugins;
    db::OverlayStore& overlays;
    const archive::Depot& depot;
    const archive::ArchiveCache& cache;
    const CompiledPluginCache& compiled_plugins;
    IncludeSupply& includes;
    ConcurrencyLimits& limits;
    ToolchainWatch& toolchains;
    LibraryPlugins& libraries;
  };
  explicit ServerBuilds(Dependencies dependencies) : dependencies_(dependencies) {}

  // `may_compile` is asked before each start of a compiler; std::nullopt = never compile: a
  // selection with a plugin that was not compiled yet ends in NeedsCompile. `epoch`: of
  // access::Freshness; what was resolved is kept while it stands. No more of the plugins is read
  // than what is compiled now. Throws db::Error, PluginGone, sys::FileError and, where a plugin
  // includes what a component ships, archive::MissingDepotFile and ZipError.
  Resolved resolve(const creator::SelectionRequest& request,
                   const std::optional<domain::Permit>& may_compile, std::uint64_t epoch);

  // The start of one planned file, for display. Throws archive::MissingDepotFile,
  // archive::ZipError, sys::FileError, db::Error and PluginGone.
  creator::Preview preview(const creator::Plan& plan, const creator::PlannedFile& file) const;

  bool available() const { return dependencies_.cache.available(); }
  // The plan's archive, if it is in the cache; see ArchiveCache::acquire.
  std::optional<archive::Acquired> acquire(const creator::Plan& plan) const {
    return dependencies_.cache.acquire(plan.build_hash);
  }
  // The plan's archive, built if it is not in the cache; see ArchiveCache::build. The plugins'
  // files are read one at a time. Throws also db::Error and PluginGone.
  archive::Acquisition acquire(const creator::Plan& plan, const domain::Permit& may_build) const;

 private:
  Resolved make_plan(const creator::SelectionRequest& request,
                     const std::optional<domain::Permit>& may_compile, std::uint64_t epoch);

  Dependencies dependencies_;
  // What all plans_ are made from: access::Freshness::epoch(), and ToolchainWatch::generation() as
  // of the last plan with plugins.
  std::pair<std::uint64_t, std::uint64_t> basis_;
  sys::LruCache<std::shared_ptr<const ResolvedPlan>> plans_;
};

}  // namespace goldsmith::service
