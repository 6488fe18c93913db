// Servers as callers ask for them: resolved, previewed and built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/archive/archive_cache.hpp"
#include "app/archive/resource_cache.hpp"
#include "app/archive/zip.hpp"
#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/base/lru_cache.hpp"
#include "app/compile/compiled_plugin_cache.hpp"
#include "app/compile/scheduler.hpp"
#include "app/creator/catalog.hpp"
#include "app/creator/plan.hpp"
#include "app/domain/permit.hpp"

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
  Plan plan;
};

using Resolved =
    std::variant<std::shared_ptr<const ResolvedPlan>, creator::InvalidSelection, EmptySelection>;

// Reads the files of one plan for display. The archive of a component is opened once.
class PlannedTexts {
 public:
  // Both must outlive the object.
  PlannedTexts(const Stock& stock, const Plan& plan) : stock_(stock), plan_(plan) {}

  // The start of a file of the plan. Throws archive::MissingDepotFile, archive::ZipError,
  // base::FileError, db::Error and PluginGone.
  Preview read(const PlannedFile& file);

 private:
  const archive::ZipReader& zip_of(std::size_t component);

  const Stock& stock_;
  const Plan& plan_;
  std::map<std::size_t, archive::ZipReader> zips_;  // by number of the component
};

class ServerBuilds {
 public:
  // Archives and compiled plugins are kept where `config` says; the processes that share the latter
  // have the file `compiled_plugins` in `shared`. `verdicts`: of limits::Freshness. `stock` and
  // `compile` must outlive the object. Throws base::FileError.
  ServerBuilds(Stock& stock, compile::CompileService& compile, const base::Config& config,
               const std::filesystem::path& shared, std::function<std::int64_t()> verdicts)
      : stock_(stock),
        compile_(compile),
        archives_(archive::archive_folder(config)),
        resources_(archive::resource_folder(config)),
        compiled_plugins_(compile, compile::artefact_folder(config), shared / "compiled_plugins"),
        verdicts_(verdicts),
        providers_(stock.catalog, stock.plugins, compile.watch, std::move(verdicts)) {}

  // `may_compile` is asked before each start of a compiler; std::nullopt = never compile: a
  // selection with a plugin that was not compiled yet throws NeedsCompile. `epoch`: of
  // limits::Freshness; what was resolved is kept while it stands. No more of the plugins is read
  // than what is compiled now. Throws domain::Failure when nothing can be compiled or the plugins
  // have too many files, db::Error, PluginGone, base::FileError and, where a plugin includes what a
  // component ships, archive::MissingDepotFile and ZipError.
  Resolved resolve(const SelectionRequest& request,
                   const std::optional<domain::Permit>& may_compile, std::uint64_t epoch);

  // A plugin of goldsmith's own (domain::own_plugin()), compiled by the toolchain of a line. Throws
  // domain::Failure where that can't be, and NeedsCompile.
  std::string own_binary(const domain::PluginVersion& own, const std::string& line,
                         const std::optional<domain::Permit>& may_compile) const;

  // The start of one planned file, or of several. Valid while the object and the plan are.
  Preview preview(const Plan& plan, const PlannedFile& file) const {
    return texts(plan).read(file);
  }
  PlannedTexts texts(const Plan& plan) const { return {stock_, plan}; }

  // Who has what the plugins of selections need.
  ProviderCache& providers() { return providers_; }

  const archive::ArchiveCache& archives() const { return archives_; }
  const archive::ResourceCache& resources() const { return resources_; }
  bool available() const { return archives_.available(); }
  // The plan's archive, if it is in the cache; see ArchiveCache::acquire.
  std::optional<archive::Acquired> acquire(const Plan& plan) const {
    return archives_.acquire(plan.build_hash);
  }
  // The plan's archive, built if it is not in the cache; see ArchiveCache::build. The plugins'
  // files are read one at a time. Throws also db::Error and PluginGone.
  archive::Acquired acquire(const Plan& plan, const domain::Permit& may_build) const;
  // Lets nginx send a file of the plan, of find_resource(), as `path` of what has that name: of the
  // build or of a selection; see ResourceCache::provide. Throws also archive::MissingDepotFile,
  // db::Error and PluginGone.
  void provide_resource(std::string_view name, const Plan& plan, const PlannedFile& file,
                        std::string_view path) const;
  // The plan's archive, open for reading: that in the cache, or else one that is written for the
  // caller alone, without a name on the disk of `folder`. Throws as PreparedArchive does, and
  // db::Error and PluginGone.
  base::UniqueFd open(const Plan& plan, const std::filesystem::path& folder) const;

 private:
  Resolved make_plan(const SelectionRequest& request,
                     const std::optional<domain::Permit>& may_compile, std::uint64_t epoch);

  Stock& stock_;
  compile::CompileService& compile_;
  const archive::ArchiveCache archives_;
  const archive::ResourceCache resources_;
  const compile::CompiledPluginCache compiled_plugins_;
  std::function<std::int64_t()> verdicts_;
  ProviderCache providers_;
  // What all plans_ are made from; toolchains and verdicts are those of the last plan with plugins.
  struct Basis {
    std::uint64_t epoch = 0;       // limits::Freshness::epoch()
    std::uint64_t toolchains = 0;  // ToolchainWatch::generation()
    std::int64_t verdicts = 0;     // of limits::Freshness

    friend bool operator==(const Basis&, const Basis&) = default;
  };
  Basis basis_;
  base::LruCache<std::shared_ptr<const ResolvedPlan>> plans_;
};

// Resolves server builds outside of the workers, for the operator's command. The plans come from
// the same catalog, overlays and compiled plugins, so they have the same build hashes. Nothing is
// compiled, built or written.
struct OfflineBuilds : Stock {
  // All arguments must outlive the object. Throws base::FileError.
  OfflineBuilds(const base::Config& config, const base::Clock& clock, db::Database& database)
      : Stock(config, database, compile::text_reader()),
        compiler(config.compile, own.path()),
        stack(config, own.path(), clock, compiler, [] { return std::size_t{1}; }),
        builds(*this, stack, config, own.path(), [] { return std::int64_t{0}; }) {}

  // See ServerBuilds::resolve. A plugin that no worker has compiled for the selection yet throws
  // NeedsCompile.
  Resolved resolve(const SelectionRequest& request) {
    return builds.resolve(request, std::nullopt, 0);
  }

  base::TempDir own;  // of the files that workers share
  compile::Compiler compiler;
  compile::CompileService stack;
  ServerBuilds builds;
};

}  // namespace goldsmith::creator
