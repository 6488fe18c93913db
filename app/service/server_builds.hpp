// The server creator's work: resolve a selection to a plan, preview a file, build the archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "app/archive/archive_cache.hpp"
#include "app/archive/depot.hpp"
#include "app/compile/compiler.hpp"
#include "app/creator/plan.hpp"
#include "app/creator/preview.hpp"
#include "app/service/compiled_plugin_cache.hpp"
#include "db/component_store.hpp"
#include "db/overlay_store.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::service {

// The site-wide flood brake stopped a compile that a build needs (decision S7).
class FloodBrake : public std::runtime_error {
 public:
  FloodBrake() : std::runtime_error("the compiler flood brake is exhausted") {}
};

// A plugin of the selection needs a compiler that is not there. what() is for the log.
class CompilerUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A plan points into the catalog that it was made from; this keeps both.
struct ResolvedPlan {
  std::shared_ptr<const domain::Catalog> catalog;
  std::vector<std::shared_ptr<const domain::ComponentVersion>> versions;
  creator::Plan plan;
};

using Resolved = std::variant<ResolvedPlan, creator::InvalidSelection, creator::EmptySelection>;

class ServerBuilds {
 public:
  struct Dependencies {
    db::ComponentStore& components;
    db::PluginStore& plugins;
    db::OverlayStore& overlays;
    const archive::Depot& depot;
    const archive::ArchiveCache& cache;
    const CompiledPluginCache& artefacts;
  };
  explicit ServerBuilds(Dependencies dependencies) : dependencies_(dependencies) {}

  // `take_compile` is asked before each start of a compiler; false ends in FloodBrake. Throws
  // db::Error, FloodBrake and CompilerUnavailable.
  Resolved resolve(const creator::SelectionRequest& request,
                   const std::function<bool()>& take_compile);

  // The start of one planned file, for display. Throws archive::ZipError and sys::FileError.
  creator::Preview preview(const creator::Plan& plan, const creator::PlannedFile& file) const;

  bool available() const { return dependencies_.cache.available(); }
  // Its archive's size; nothing when it is not built. See ArchiveCache::hand_out.
  std::optional<std::uint64_t> hand_out(const creator::Plan& plan) const {
    return dependencies_.cache.hand_out(plan.build_hash);
  }

  // Makes sure that the plan's archive is in the cache; see ArchiveCache::ensure.
  archive::ArchiveCache::Outcome build(const creator::Plan& plan,
                                       const std::function<bool()>& take_build) const;

 private:
  creator::PluginOutcome look_up(const std::string& slug) const;
  void compile(creator::PluginOutcome& plugin, const std::string& toolchain_line,
               const std::function<bool()>& take_compile) const;

  Dependencies dependencies_;
};

}  // namespace goldsmith::service
