// The includes that components bring to compiles (decision P19), read from the depot.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "app/archive/depot.hpp"
#include "app/compile/equipment.hpp"
#include "app/creator/selection.hpp"
#include "app/service/catalog_cache.hpp"
#include "app/sys/lru_cache.hpp"
#include "db/component_store.hpp"

namespace goldsmith::service {

// What is supplied throws archive::MissingDepotFile where this host's depot lacks a component's
// file, archive::ZipError and sys::FileError when it is read.
class IncludeSupply {
 public:
  // All must outlive the object.
  IncludeSupply(CatalogCache& catalog, db::ComponentStore& components, const archive::Depot& depot)
      : catalog_(catalog), components_(components), depot_(depot) {}

  // For plugins that are compiled with that line outside of a build: of the newest version of each
  // mirrored component, but platforms of other lines and what conflicts with the line's own.
  // `epoch`: of access::Freshness. Throws db::Error.
  compile::ComponentIncludes newest(const std::string& line, std::uint64_t epoch);
  // The includes that newest() offers, for who reads none of them. Throws db::Error.
  std::shared_ptr<const compile::IncludeOffers> newest_offers(const std::string& line,
                                                              std::uint64_t epoch);

  // For plugins of a build: of the versions in the selection, whose files are loaded. As in the
  // build, the later of two components counts.
  compile::ComponentIncludes of(const creator::Selection& selection);

 private:
  std::string read(const compile::OfferedInclude& include);
  compile::ComponentIncludes with(std::shared_ptr<const compile::IncludeOffers> offers);

  CatalogCache& catalog_;
  db::ComponentStore& components_;
  const archive::Depot& depot_;
  std::uint64_t epoch_ = 0;  // that offers_ is of
  std::map<std::string, std::shared_ptr<const compile::IncludeOffers>> offers_;  // by line
  sys::LruCache<std::string> contents_;
};

}  // namespace goldsmith::service
