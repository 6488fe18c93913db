// What a selection is checked against: the components in memory, and the includes that they bring.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/base/config.hpp"
#include "app/base/lru_cache.hpp"
#include "app/compile/compile_inputs.hpp"
#include "app/compile/plugin_sources.hpp"
#include "app/compile/sandboxed_texts.hpp"
#include "app/compile/toolchain.hpp"
#include "app/creator/providers.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/component.hpp"
#include "app/domain/natives.hpp"
#include "db/component_store.hpp"
#include "db/database.hpp"
#include "db/overlay_store.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::creator {

// The component catalog and the manifests of its versions, kept in memory while the epoch stands.
class CatalogCache {
 public:
  explicit CatalogCache(db::ComponentStore& components) : components_(components) {}

  // `epoch`: of limits::Freshness; when it moved everything is read again. Throws db::Error.
  std::shared_ptr<const domain::Catalog> catalog(std::uint64_t epoch);

  // What the latest versions of components have for plugins, and the catalog that it is of. Throws
  // db::Error.
  std::pair<std::shared_ptr<const domain::Catalog>, ComponentOffers> offers(std::uint64_t epoch);

  // Whose files are where on a server. Throws db::Error.
  std::shared_ptr<const domain::FileOwners> file_owners(std::uint64_t epoch);

  // The libraries of all mirrored versions. Throws db::Error.
  std::shared_ptr<const domain::VersionFiles> libraries(std::uint64_t epoch);

  // Takes out what would replace somebody else's file on a server. Asks for whose files are where
  // only for a version that has more than sources. Throws db::Error.
  void remove_foreign(domain::PluginVersion& version, std::uint64_t epoch);
  void remove_foreign(domain::Plugin& plugin, std::uint64_t epoch);

  // What the newest AMX Mod X of the line offers to plugins, or else that of the next line, which
  // offers no less; sorted. std::nullopt if none is mirrored, or it is not recorded. Throws
  // db::Error.
  std::optional<std::vector<std::string>> platform_natives(const std::string& line,
                                                           std::uint64_t epoch);

  // That version with its files and sources. Precondition: catalog() was called for the epoch that
  // it is of. Throws db::Error.
  std::shared_ptr<const domain::ComponentVersion> with_files(
      const domain::Slug& slug, const domain::ComponentVersion& version);

 private:
  using Name = std::pair<domain::Slug, domain::Version>;

  // Forgets what is of another epoch.
  void move_to(std::uint64_t epoch);

  db::ComponentStore& components_;
  std::uint64_t epoch_ = 0;                                // that all below is of
  std::shared_ptr<const domain::Catalog> catalog_;         // null = not read yet
  std::shared_ptr<const domain::FileOwners> file_owners_;  // null = not read yet
  std::shared_ptr<const domain::VersionFiles> libraries_;  // null = not read yet
  std::map<Name, std::shared_ptr<const domain::ComponentVersion>> versions_;
};

// The includes that components bring to compiles (decision P19), read from the depot.
// What is supplied throws archive::MissingDepotFile where this host's depot lacks a component's
// file, archive::ZipError and base::FileError when it is read, and for what it includes as
// compile::read_named() does.
class IncludeSupply {
 public:
  // All but `texts`, which reads what they include, must outlive the object.
  IncludeSupply(CatalogCache& catalog, db::ComponentStore& components, const archive::Depot& depot,
                compile::Texts texts)
      : catalog_(catalog), components_(components), depot_(depot), texts_(std::move(texts)) {}

  // For plugins that are compiled with that line outside of a build: of the newest version of each
  // mirrored component, but platforms of other lines and what conflicts with the line's own.
  // `epoch`: of limits::Freshness. Throws db::Error.
  compile::ComponentIncludes newest(const std::string& line, std::uint64_t epoch);
  // The includes that newest() offers, for who reads none of them. Throws db::Error.
  std::shared_ptr<const compile::IncludeOffers> newest_offers(const std::string& line,
                                                              std::uint64_t epoch);

  // For plugins of a build: of the versions in the selection, whose files are loaded. As in the
  // build, the later of two components counts.
  compile::ComponentIncludes of(const Selection& selection);

 private:
  std::string read(const compile::OfferedInclude& include);
  std::vector<std::string> names(const compile::OfferedInclude& include,
                                 std::string_view content) const;
  compile::ComponentIncludes with(const std::shared_ptr<const compile::IncludeOffers>& offers);

  CatalogCache& catalog_;
  db::ComponentStore& components_;
  const archive::Depot& depot_;
  compile::Texts texts_;
  std::uint64_t epoch_ = 0;  // that offers_ is of
  std::map<std::string, std::shared_ptr<const compile::IncludeOffers>> offers_;  // by line
  base::LruCache<std::string> contents_;
};

// What plugins are compiled with and servers are made from, put together once for workers and the
// operator's command. Reads nothing before it is asked for something.
struct Stock {
  // `database` must outlive the object; `with` reads the texts of plugins and components.
  Stock(const base::Config& config, db::Database& database, compile::Texts with,
        db::Drafts drafts = db::Drafts::hidden)
      : texts(std::move(with)),
        plugins(database, drafts),
        components(database),
        overlays(database),
        depot(config.depot) {}
  Stock(const Stock&) = delete;
  Stock& operator=(const Stock&) = delete;

  const compile::Texts texts;
  db::PluginStore plugins;
  const compile::PluginSources plugin_sources{plugins, texts};
  db::ComponentStore components;
  db::OverlayStore overlays;
  const archive::Depot depot;
  CatalogCache catalog{components};
  IncludeSupply includes{catalog, components, depot, texts};
};

}  // namespace goldsmith::creator
