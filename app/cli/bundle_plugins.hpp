// Plugins in a bundle (decision O29). What throws, throws Failure, domain::ManifestError,
// base::FileError, what texts and db::PluginImport throw, and base::Interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/base/config.hpp"
#include "app/cli/bundle_file.hpp"
#include "app/cli/bundle_outcomes.hpp"
#include "app/cli/bundle_records.hpp"
#include "app/cli/bundle_verdicts.hpp"
#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/text_reader.hpp"
#include "db/plugin_import.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::cli {

// Adds the published plugins, with their published versions. `progress` is told how many of how
// many.
std::vector<BundleItem> add_plugins(
    db::PluginStore plugins, BundleWriter& bundle,
    const std::function<void(std::size_t done, std::size_t total)>& progress);

// Takes those of a bundle.
class BundledPlugins {
 public:
  // `owners`: of the files that no plugin may replace, and `withdrawn` names of what this host has
  // withdrawn; both must outlive it.
  BundledPlugins(const base::Config& config, db::PluginStore plugins,
                 const domain::FileOwners& owners, const std::set<std::string>& withdrawn);

  // Compares it with what is there, reports, and gives it to `import` (null = nothing is imported)
  // if it is to be taken.
  void take(const BundleReader& bundle, const BundleItem& item, const BundleJudge& judge,
            db::PluginImport* import, BundleReport& report);

  // Those that are there or will be.
  const std::set<domain::Slug>& slugs() const { return slugs_; }
  // What to record once they are imported.
  const db::BundledItems& taken() const { return taken_; }
  // On those that are as the bundle has them once they are imported.
  const BundledVerdicts& verdicts() const { return verdicts_; }

 private:
  // What this host decides of it: what is public, and what is a draft.
  void settle(domain::Plugin& plugin, const domain::Plugin* known, BundleReport& report) const;
  std::string objection(const domain::PluginVersion& version) const;

  db::PluginStore plugins_;
  const domain::FileOwners& owners_;
  const std::set<std::string>& withdrawn_;
  pawn::TextReader texts_;
  domain::PluginTools tools_;
  std::set<domain::Slug> slugs_;
  std::uint64_t bytes_ = 0;  // of files
  db::BundledItems taken_;
  BundledVerdicts verdicts_;
};

}  // namespace goldsmith::cli
