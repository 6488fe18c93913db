// Plugins, their versions and files (decisions P1, P2, P7, P12). Functions throw db::Error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

struct PluginFilter {
  std::string folded_text;  // case-folded; "" = any. Matches inside the name or inside one tag
  std::string category;     // exact; "" = any
};

struct PluginPage {
  std::int64_t total = 0;
  std::vector<domain::PluginSummary> plugins;
};

// One row of `goldsmith plugin list`.
struct PluginOverview {
  domain::PluginSummary summary;
  domain::Status status = domain::Status::draft;
  std::int64_t version_count = 0;
};

enum class ImportChange { created, updated, unchanged };

class PluginStore {
 public:
  // `fold` turns names and tags into what is searched (sys::fold_case), so that this layer needs no
  // Unicode tables.
  using Fold = std::string (*)(std::string_view);
  PluginStore(Database& database, Fold fold) : database_(database), fold_(fold) {}

  // Published only -------------------------------------------------------------------------------
  // Downloads descending, then slug.
  PluginPage list(const PluginFilter& filter, std::int64_t offset, std::int64_t limit);
  // With published versions, newest first, and their files without content.
  std::optional<domain::Plugin> find(std::string_view slug);
  // A published version of a published plugin, its files with content.
  std::optional<domain::PluginVersion> find_version(std::string_view slug,
                                                    std::string_view version);
  // Categories with at least one published plugin, by name.
  std::vector<domain::CategoryCount> categories();

  // For the operator: drafts too ------------------------------------------------------------------
  std::vector<PluginOverview> list_all();
  std::optional<domain::Plugin> find_any(std::string_view slug);
  // Creates the plugin or makes it equal to `plugin`; counters are set at creation alone. One
  // transaction. `updated_at` becomes `now` when something changed.
  ImportChange import(const domain::Plugin& plugin, const domain::Timestamp& now);
  // False when there is no such plugin (or version). An empty version means the plugin itself.
  bool set_status(std::string_view slug, std::string_view version, domain::Status status,
                  const domain::Timestamp& now);
  bool remove(std::string_view slug);

 private:
  Database& database_;
  Fold fold_;
};

}  // namespace goldsmith::db
