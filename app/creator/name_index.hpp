// Which includes declare a name that sources use, of which versions of components and of which
// compilers (decision S41).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/compile/toolchain.hpp"
#include "app/creator/catalog.hpp"
#include "db/component_store.hpp"

namespace goldsmith::creator {

// Whose includes they are: a component, or a compiler of which no component is mirrored.
struct NameHome {
  std::string slug;  // "" = a compiler
  std::string title;
  std::vector<std::string> versions;  // of which the names are known, the oldest first
};

struct NamePlace {
  std::string name;     // of an include without its extension
  std::string include;  // "reapi_const.inc"
  char kind = 'i';      // of domain::is_declared_name(); 'i', an include
  std::uint32_t home = 0;
  // Of NameHome::versions: the first and the last that have it.
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

class NameIndex {
 public:
  NameIndex() = default;
  NameIndex(std::vector<NameHome> homes, std::vector<NamePlace> places);

  const std::vector<NameHome>& homes() const { return homes_; }
  // By home, include, kind, versions and name.
  const std::vector<NamePlace>& places() const { return places_; }
  const NameHome& home(const NamePlace& place) const { return homes_[place.home]; }
  // In load order of the components; compilers come last.
  std::vector<const NamePlace*> of(std::string_view name) const;

 private:
  std::vector<NameHome> homes_;
  std::vector<NamePlace> places_;
  std::vector<std::uint32_t> by_name_;  // numbers of places
};

// The index of now, read again when the catalog or a toolchain has changed.
class NameIndexCache {
 public:
  // All must outlive the object.
  NameIndexCache(CatalogCache& catalog, db::ComponentStore& components,
                 const compile::Toolchains& toolchains, const compile::ToolchainWatch& watch)
      : catalog_(catalog), components_(components), toolchains_(toolchains), watch_(watch) {}

  // `epoch`: of limits::Freshness. Throws db::Error and base::FileError.
  std::shared_ptr<const NameIndex> at(std::uint64_t epoch);

 private:
  CatalogCache& catalog_;
  db::ComponentStore& components_;
  const compile::Toolchains& toolchains_;
  const compile::ToolchainWatch& watch_;
  std::uint64_t epoch_ = 0;
  std::map<std::string, std::string> fingerprints_;
  std::shared_ptr<const NameIndex> known_;
};

}  // namespace goldsmith::creator
