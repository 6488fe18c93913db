// Plugins, their versions and files (decisions P1, P2, P7, P12). Functions throw db::Error.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// `kept` and `removed`: by the import of default overlays alone.
enum class ImportChange { created, updated, unchanged, kept, removed };

// A published plugin as an index in memory keeps it.
struct IndexedPlugin {
  std::int64_t id = 0;
  std::string category;
  std::int64_t downloads = 0;
  std::string search_text;  // folded name and tags, each ended by U+001F
};

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

  // For an index in memory: every published plugin in slug order, the rows of some by id (in the
  // order asked for; one that is gone is left out), and which counters may have moved since an id
  // of the download log.
  void each_indexed(const std::function<void(const IndexedPlugin&)>& visit);
  std::vector<domain::PluginSummary> summaries(const std::vector<std::int64_t>& ids);
  std::int64_t last_download();
  std::vector<std::pair<std::int64_t, std::int64_t>> counters_since(std::int64_t download);

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
