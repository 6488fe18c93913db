// Mirrored versions in a bundle, with their files (decision O29). What throws, throws Failure,
// domain::ManifestError, base::FileError, base::Interrupted or db::Error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/base/config.hpp"
#include "app/cli/bundle_file.hpp"
#include "app/cli/bundle_outcomes.hpp"
#include "app/cli/bundle_records.hpp"
#include "app/domain/component.hpp"
#include "db/component_store.hpp"

namespace goldsmith::cli {

// What the catalog has of each of these versions, without contents. A single point in time if the
// caller reads in one.
std::vector<BundledVersion> load_versions(const domain::Catalog& catalog, bool latest_only,
                                          db::ComponentStore components);
// Adds them with their files. `report` is told of those that this host's depot lacks, `progress`
// how many of how many were added.
std::vector<BundleItem> add_versions(std::vector<BundledVersion> versions,
                                     const archive::Depot& depot, BundleWriter& bundle,
                                     const std::function<void(const std::string&)>& report,
                                     const std::function<void(std::size_t, std::size_t)>& progress);

// Takes those of a bundle: nobody else works on the depot meanwhile.
class BundledVersions {
 public:
  // `components`: that are there, or will be. All must outlive it.
  BundledVersions(const base::Config& config, const domain::Catalog& catalog,
                  std::set<domain::Slug> components);

  // Compares it with what is there, and reports; puts the file of one that is to be taken on the
  // depot's disk, checked. `withdrawn`: names of what this host has withdrawn.
  void take(const BundleReader& bundle, const BundleItem& item, const BundleJudge& judge,
            const std::set<std::string>& withdrawn, bool is_dry, BundleReport& report);

  // Whether nothing was taken.
  bool is_empty() const { return taken_.empty(); }
  // Puts the files into the depot, where nothing names those of new versions yet.
  void publish();
  // Has the catalog name them; inside of a transaction. Returns what to record.
  db::BundledItems record(db::ComponentStore components) const;
  // After that has failed: removes what publish() has added.
  void withdraw() noexcept;

 private:
  struct Taken {
    BundledVersion bundled;
    std::filesystem::path file;
    bool is_known = false;  // to the catalog, with that content
  };
  void stage(const BundleReader& bundle, BundledVersion bundled, bool is_known);
  void check_room(std::uint64_t bytes);

  const base::Config& config_;
  const domain::Catalog& catalog_;
  std::set<domain::Slug> components_;
  archive::Depot depot_;
  std::optional<archive::DepotLock> lock_;
  std::optional<archive::DepotWorkspace> workspace_;
  std::vector<Taken> taken_;
  std::vector<const Taken*> published_;
  std::uint64_t staged_ = 0;
};

}  // namespace goldsmith::cli
