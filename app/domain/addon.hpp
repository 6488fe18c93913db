// Addon packs: curated, ordered bundles of directory plugins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/domain/plugin.hpp"

namespace goldsmith::domain {

struct AddonPack {
  Slug slug;
  std::string name;
  std::string description;
  Status status = Status::draft;
  std::optional<Timestamp> created_at;  // absent = that of the first import
  std::int64_t downloads = 0;
  std::vector<Slug> plugins;  // in curation order, unpublished ones included
};

struct AddonSummary {
  Slug slug;
  std::string name;
  std::string description;
  std::int64_t plugin_count = 0;  // curated: every row of the pack (decision P2)
  std::int64_t downloads = 0;
  Timestamp created_at{};
};

struct AddonDetail {
  AddonSummary summary;
  std::vector<PluginSummary> plugins;  // published ones, in curation order
};

}  // namespace goldsmith::domain
