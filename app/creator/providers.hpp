// Who has what AMX Mod X must have to load a plugin: the one answer of pages, the API, server
// builds, searches and starts (decisions P18, S26).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/compile/toolchain.hpp"
#include "app/domain/component.hpp"
#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"
#include "db/component_store.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::creator {

// A component of the catalog or a plugin of the directory.
struct Provider {
  enum class Kind { nobody, platform, component, plugin };

  Kind kind = Kind::nobody;
  std::string slug;
  std::string title;
  std::string version;  // the latest one

  static Provider of(const domain::Component& component);
  static Provider of(const db::LibraryPlugin& plugin);

  bool is_known() const { return kind != Kind::nobody; }
  // As `requires` of a selection names it: "SLUG", or "plugin:SLUG"; "" = nobody.
  std::string token() const { return (kind == Kind::plugin ? "plugin:" : "") + slug; }

  friend bool operator==(const Provider&, const Provider&) = default;
};

// What the latest versions of the components that can be chosen have for plugins. Of several, the
// first recommended one counts, or else the first.
class ComponentOffers {
 public:
  // In load order. `files`: of the component's latest version, at least its modules and what they
  // read. The component must outlive the object.
  void add(const domain::Component& component, const domain::ManifestFiles& files);

  // Null if none has it.
  const domain::Component* of(const domain::PluginNeed& need) const;
  // Not of AMX Mod X: another platform is another choice, not an addition.
  const domain::Component* of_native(const std::string& native) const;

  // Whether providers are the same by either.
  friend bool operator==(const ComponentOffers& one, const ComponentOffers& other);

 private:
  using Owners = std::unordered_map<std::string, const domain::Component*>;

  static void put(Owners& owners, std::string_view name, const domain::Component& component);
  static const domain::Component* find(const Owners& owners, const std::string& name);

  Owners modules_;         // by the exact name
  Owners folded_modules_;  // by the name in lower case
  Owners natives_;
};

// Pure: as of one moment.
class Providers {
 public:
  Providers() = default;
  // `catalog`: kept for the components of `offers`. `plugins`: the most downloaded first.
  // `fingerprints`: of the toolchains whose verdicts on them count, by line.
  Providers(std::shared_ptr<const domain::Catalog> catalog, ComponentOffers offers,
            std::vector<db::LibraryPlugin> plugins, std::map<std::string, std::string> fingerprints)
      : catalog_(std::move(catalog)),
        offers_(std::move(offers)),
        plugins_(std::move(plugins)),
        fingerprints_(std::move(fingerprints)) {}

  const std::map<std::string, std::string>& fingerprints() const { return fingerprints_; }

  // Whether both say the same of everything, whatever catalog they are of.
  friend bool operator==(const Providers& one, const Providers& other) {
    return one.offers_ == other.offers_ && one.plugins_ == other.plugins_ &&
           one.fingerprints_ == other.fingerprints_;
  }

  // A component, or else the first of the plugins that have it.
  Provider of(const domain::PluginNeed& need, const std::string& line) const;
  Provider of_native(const std::string& native, const std::string& line) const;

  // Of the directory, valid as long as the object.
  using Plugins = std::vector<const db::LibraryPlugin*>;
  // Those whose newest version registers that, as a check with the line's toolchain found, the most
  // downloaded first; at most so many. None has a class.
  Plugins plugins_with(const domain::PluginNeed& need, const std::string& line,
                       std::size_t most = SIZE_MAX) const;
  Plugins plugins_with_native(const std::string& native, const std::string& line,
                              std::size_t most = SIZE_MAX) const;
  // What that check found of one of them; null if it found nothing.
  const domain::PluginNeeds* needs_of(const db::LibraryPlugin& plugin,
                                      const std::string& line) const;

  // All that such a plugin needs beside AMX Mod X, and what the plugins that have it need in turn:
  // a sorted line for each, with who has it in which version. It changes with what the plugin is
  // started with.
  std::string named_for(const domain::PluginNeeds& needs, const std::string& line) const;

 private:
  template <typename Has>
  Plugins plugins_that(const std::string& line, std::size_t most, Has has) const;

  std::shared_ptr<const domain::Catalog> catalog_;
  ComponentOffers offers_;
  std::vector<db::LibraryPlugin> plugins_;
  std::map<std::string, std::string> fingerprints_;
};

class CatalogCache;

// The providers of now, read again when something that they are made of has changed.
class ProviderCache {
 public:
  // `verdicts`: of limits::Freshness. All must outlive the object.
  ProviderCache(CatalogCache& catalog, db::PluginStore& plugins,
                const compile::ToolchainWatch& toolchains, std::function<std::int64_t()> verdicts)
      : catalog_(catalog),
        plugins_(plugins),
        toolchains_(toolchains),
        verdicts_(std::move(verdicts)) {}

  // The same object as before where neither a verdict nor what they are made of has changed. Throws
  // db::Error.
  std::shared_ptr<const Providers> at(std::uint64_t epoch);

 private:
  struct Basis {
    std::uint64_t epoch = 0;
    std::int64_t verdicts = 0;
    std::map<std::string, std::string> fingerprints;

    friend bool operator==(const Basis&, const Basis&) = default;
  };

  CatalogCache& catalog_;
  db::PluginStore& plugins_;
  const compile::ToolchainWatch& toolchains_;
  std::function<std::int64_t()> verdicts_;
  Basis basis_;  // of known_
  std::shared_ptr<const Providers> known_;
};

}  // namespace goldsmith::creator
