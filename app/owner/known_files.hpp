// The document that tells what every file is which the service knows (decision S32), as it is read
// on the machine of a game server. It is not trusted more than a file of that machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/domain/component.hpp"

namespace goldsmith::owner {

// Letters and digits of ASCII, in lower case: names that differ in other characters are the same.
std::string key_of(std::string_view name);
// As versions are spelled here and there: "v1.0 beta" and "1.0-beta" are the same.
std::string spelled_version(std::string_view version);

// Indexes into KnownFiles.
using ComponentId = std::size_t;
using PluginId = std::size_t;
using VersionId = std::uint32_t;

// Views are valid as long as the KnownFiles.
struct KnownVersion {
  enum class State { latest, older, held } state = State::older;
  std::string_view number;
  std::string_view reason;  // of one that is held
  bool of_plugin = false;
  std::size_t owner = 0;                  // a ComponentId or PluginId
  std::size_t files = 0;                  // that are not configuration
  std::vector<std::string_view> mains;    // paths of what tells that it is there
  std::string_view binary;                // of a plugin: the name of its compiled file
  std::vector<std::string_view> faults;   // of a plugin: "LINE MESSAGE"
  std::vector<std::string_view> defects;  // of a component: what is known to be wrong with it
};

// A file that a component looks for in several places, in its order: paths on a server, or below
// kLibraryFolder.
struct KnownPlaces {
  std::string_view file;  // where a build has it
  std::vector<std::string_view> looked_for;
  bool has_identity = false;  // settings in it decide which Steam ID players get
};
// Begins a place beside the library of the component that the server loads.
inline constexpr std::string_view kLibraryFolder = "@library/";

struct KnownComponent {
  std::string_view slug;
  std::string_view layer;
  bool is_selectable = false;
  std::string_view title;
  std::string_view upstream;  // "OWNER/REPOSITORY"; "" if it is not known
  VersionId first = 0;        // newest first
  VersionId end = 0;
  std::optional<VersionId> newest = {};
  std::vector<KnownPlaces> places = {};
};

struct KnownPlugin {
  std::string_view slug;
  std::string_view name;  // the slug if it has none
  std::string name_key;
  std::string author_key;
  VersionId first = 0;
  VersionId end = 0;
  VersionId newest = 0;
};

// What versions of components have at a path.
struct KnownEntry {
  VersionId version = 0;
  std::string_view prefix;  // of the SHA-256
  char role = '-';          // m: main file; c: configuration; -: any other
};

class KnownFiles {
 public:
  static constexpr std::string_view kFormat = "goldsmith-known-files 1";
  // Hex digits of a SHA-256 that tell a file.
  static constexpr std::size_t kPrefix = 24;

  enum class Problem { format, incomplete, damaged };
  // Lines of other kinds than it knows do not count. std::nullopt, and `problem` says why.
  static std::optional<KnownFiles> parse(std::string text, Problem& problem);

  std::string_view service() const { return service_; }
  std::uint64_t largest() const { return largest_; }  // bytes of the largest file in it
  std::span<const KnownComponent> components() const { return components_; }
  // The components with their rules and versions, as the service selects of them; empty if it does
  // not say.
  const domain::Catalog& catalog() const { return catalog_; }
  std::span<const KnownPlugin> plugins() const { return plugins_; }
  const KnownVersion& version(VersionId id) const { return versions_[id]; }
  const KnownComponent& component_of(VersionId id) const {
    return components_[versions_[id].owner];
  }
  const KnownPlugin& plugin_of(VersionId id) const { return plugins_[versions_[id].owner]; }

  // By path. Empty if no component has it.
  std::span<const KnownEntry> at(std::string_view path) const;
  // Those that begin with `folder`, sorted.
  std::vector<std::string_view> paths_below(std::string_view folder) const;
  // By the beginning of the SHA-256: versions of plugins that have it as their source, or as
  // another part; the first version of a component that has it, and its path there.
  std::span<const VersionId> sources(std::string_view prefix) const;
  std::span<const VersionId> parts(std::string_view prefix) const;
  std::optional<std::pair<VersionId, std::string_view>> copied(std::string_view prefix) const;
  bool knows(std::string_view prefix) const;
  // Versions of components that have it as a main file, at any path.
  std::span<const VersionId> mains(std::string_view prefix) const;
  // Versions of plugins that have configuration at the path.
  std::span<const VersionId> settings(std::string_view path) const;
  // Plugins by key_of() of their name, or by the name of their compiled file.
  std::span<const PluginId> named(const std::string& key) const;
  std::span<const PluginId> with_binary(std::string_view file) const;

 private:
  template <typename Id>
  using Lists = std::unordered_map<std::string_view, std::vector<Id>>;

  KnownFiles() = default;
  bool read_line(std::string_view line);
  bool last_has_version() const;
  void read_component(std::string_view word, std::string_view rest);
  void read_rule(std::string_view rest);
  void read_version(std::string_view rest);
  void finish_catalog();
  void add_file(std::string_view prefix, char role, std::string_view path);

  std::unique_ptr<std::string> text_;
  std::string_view service_;
  std::uint64_t largest_ = 0;
  bool of_plugin_ = false;
  bool has_rules_ = false;
  std::vector<domain::Component> rules_;  // as the lines of the components have them
  std::vector<std::pair<domain::Slug, domain::Layer>> ruled_;  // what rules name
  domain::Catalog catalog_;
  std::vector<KnownComponent> components_;
  std::vector<KnownPlugin> plugins_;
  std::vector<KnownVersion> versions_;
  Lists<KnownEntry> at_;
  Lists<VersionId> sources_;
  Lists<VersionId> parts_;
  Lists<VersionId> settings_;
  Lists<VersionId> mains_;
  std::unordered_map<std::string_view, std::pair<VersionId, std::string_view>> copied_;
  std::unordered_map<std::string, std::vector<PluginId>> named_;
  Lists<PluginId> binaries_;
};

}  // namespace goldsmith::owner
