// The server creator's catalog: components, their rules, and what each mirrored version holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/json.hpp"
#include "app/base/message.hpp"
#include "app/domain/names.hpp"
#include "app/domain/source_identity.hpp"
#include "app/domain/timestamp.hpp"
#include "app/domain/version.hpp"

namespace goldsmith::domain {

enum class Layer {
  engine,
  gamedll,
  metamod,
  amxmodx,
  auth,
  module,
  anticheat,
  voice,
  bots,
  svc,
  content
};

struct LayerInfo {
  Layer layer;
  std::string_view key;
  std::string_view label;
  bool exclusive;  // a selection may have at most one component of it
};

// Every layer, in the order of the specification.
std::span<const LayerInfo> layers();
const LayerInfo& info(Layer layer);
std::string_view to_string(Layer layer);  // its key
std::optional<Layer> parse_layer(std::string_view key);

enum class RuleKind { requires_, conflicts, recommends, bundles };
std::string_view to_string(RuleKind kind);
std::optional<RuleKind> parse_rule_kind(std::string_view text);

struct Rule {
  RuleKind kind = RuleKind::requires_;
  Slug component;
  std::string note;            // for end users
  VersionRange versions = {};  // of the component that has the rule
  VersionRange with = {};      // of the other one, which it names; every version if it bundles it

  friend bool operator==(const Rule&, const Rule&) = default;
};

// As the API and --json show them: null if there are none.
json::Value rules_json(const std::vector<Rule>& rules);

// A known trap of a component, for resolve's notes (decision S11).
struct Advice {
  std::string text;
  VersionRange versions = {};  // of the component

  friend bool operator==(const Advice&, const Advice&) = default;
};

// What is wrong with some versions of a component, whatever they are used with (decision S40).
struct Defect {
  std::string text;              // for people: what goes wrong; a sentence
  std::optional<Version> since;  // the first version that has it; absent = every one
  std::optional<Version> until;  // the first one without it; absent = there is none yet
  std::string source;            // the address where it is told
  bool holds = false;            // callers get such a version only if they pin it
  Timestamp known_at = {};       // since when this catalog says so

  bool concerns(std::string_view version) const;
  // But for `known_at`.
  friend bool operator==(const Defect& left, const Defect& right);
};

// As the API and --json show them.
json::Array defects_json(const std::vector<Defect>& defects);

// The defect with what ends it and where it is told.
base::Message told(const Defect& defect);

struct PathMap {
  std::string from;  // ends in "/" or is "" = a folder, else a whole path; of `is_file` a glob
  std::string to;
  bool is_file = false;  // `from` matches names of files of a release that are no archives

  friend bool operator==(const PathMap&, const PathMap&) = default;
};

// How the files of a release become files of the server root (decision S14).
struct InstallRules {
  std::vector<PathMap> map;              // empty = paths stay
  std::vector<std::string> drop;         // globs on the path in the archive
  std::vector<std::string> executables;  // globs on the final path

  // Where the file `name` of a release goes that is no archive; null if it is one.
  const PathMap* file_map(std::string_view name) const;

  friend bool operator==(const InstallRules&, const InstallRules&) = default;
};

// Each file of a release has a detached GPG signature beside it.
struct Signature {
  std::string suffix;  // of the file's name or address
  std::string key;     // fingerprint of the signing key: 40 hex digits, upper case

  static void members(auto& self, const auto& visit) {
    visit("suffix", self.suffix);
    visit("key", self.key);
  }
  friend bool operator==(const Signature&, const Signature&) = default;
};

// Where releases come from: assets of a GitHub repository's releases, or addresses. Several files
// are merged in order; a later one wins.
struct Upstream {
  std::string github;               // owner/repo; "" = `urls` count
  std::string tag;                  // glob of the release tags that count; "" = all
  std::vector<std::string> assets;  // a glob each
  std::vector<std::string> urls;    // `{version}` stands for the version
  std::optional<Version> version;   // of `urls`: what is mirrored when no version is named
  // The digests that the files of a version must have, in lower-case hex and in the order of
  // `assets` or `urls`.
  std::map<Version, std::vector<std::string>, std::less<>> sha256;
  std::optional<Signature> signature;  // absent = releases are not signed

  // If so, releases are mirrored by hand only.
  bool empty() const { return github.empty() && urls.empty(); }

  static void members(auto& self, const auto& visit) {
    visit("github", self.github);
    visit("tag", self.tag);
    visit("asset", self.assets);
    visit("url", self.urls);
    visit("version", self.version);
    visit("sha256", self.sha256);
    visit("signature", self.signature);
  }
  friend bool operator==(const Upstream&, const Upstream&) = default;
};

// What the generated files name if this component is in a build; paths relative to cstrike/.
struct Loads {
  std::optional<std::string> gamedll;
  std::optional<std::string> metamod_loader;
  std::optional<std::string> metamod_plugin;
  std::optional<std::string> toolchain;  // the line that compiles plugins for this platform

  friend bool operator==(const Loads&, const Loads&) = default;
};

struct ManifestFile {
  std::string path;  // relative to the server root, final
  std::uint64_t size = 0;
  bool executable = false;
  std::string sha256 = {};  // hex
  // What the file offers to plugins (has_natives()), or of an include what it declares, each as
  // KIND:NAME (is_declared_name()), or the WADs that a map takes textures of; sorted. Absent = not
  // recorded (goldsmith depot verify
  // --record), and of any other file. Empty = none was found in it, which says nothing.
  std::optional<std::vector<std::string>> natives = {};

  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

// From where a file of a mirrored version comes.
struct FileOrigin {
  std::size_t source = 0;  // of ComponentVersion::sources
  std::string path;        // in that archive

  friend bool operator==(const FileOrigin&, const FileOrigin&) = default;
};

// How the sources of a mirrored version were checked against what was known of them before.
enum class Verification {
  none,
  digest,    // each has the SHA-256 that the component's manifest names
  signature  // each has a good signature by the key that the manifest names
};
std::string_view to_string(Verification verification);
std::optional<Verification> parse_verification(std::string_view text);

// A file that a mirrored version was made from.
struct Source {
  std::string url;  // "" = a local file
  std::uint64_t size = 0;
  std::string sha256;  // hex
  std::string stamp;   // an ETag or a time that changes at upstream with the content

  friend bool operator==(const Source&, const Source&) = default;
};

// What holds a version.
enum class HoldKind {
  hand,       // the operator, here or where a bundle comes from
  unstarted,  // it is being mirrored, and its trial has not ended
  start,      // what its trial showed
  doubt,      // its repository may be another one
  step,       // its number does not follow on that of the latest
  defect      // its manifest; not stored with the version
};
std::string_view to_string(HoldKind kind);
std::optional<HoldKind> parse_hold_kind(std::string_view text);

// Why a version is not handed out unless a caller pins it, and since when.
struct Hold {
  std::string reason;  // for people; a line, of the operator at most kMostHoldReason code points
  Timestamp at{};
  HoldKind kind = HoldKind::hand;

  friend bool operator==(const Hold&, const Hold&) = default;
};
inline constexpr std::size_t kMostHoldReason = 300;

struct ComponentVersion {
  Version version;
  std::optional<Timestamp> released_at;
  std::uint64_t size_bytes = 0;          // of the upstream archive
  std::uint64_t file_count = 0;          // of the manifest
  std::string digest;                    // SHA-256 hex of the canonical depot ZIP
  std::vector<ManifestFile> files;       // by path; may be left unloaded by a store
  std::vector<Source> sources;           // empty = not recorded; may be left unloaded by a store
  std::optional<Timestamp> mirrored_at;  // absent = not recorded
  Verification verified = Verification::none;
  // In the order of the files; empty = not recorded; may be left unloaded by a store.
  std::vector<FileOrigin> origins;
  std::optional<Hold> held = {};
  bool is_released = false;    // by hand, so that no defect holds it
  SourceIdentity source = {};  // of the repository that it was mirrored from
  // What its author says of it; CommonMark. "" = nothing is known; left unloaded by a store.
  std::string notes = {};

  friend bool operator==(const ComponentVersion&, const ComponentVersion&) = default;
};

// A setting of which each server needs a value of its own that nobody else knows, such as a salt.
struct Secret {
  std::string file;           // final path
  std::string setting;        // the line of it without its value, such as "SteamIdHashSalt ="
  bool is_suggested = false;  // no script gives it a value: its owner is told to

  friend bool operator==(const Secret&, const Secret&) = default;
};

// With that value behind the first line that is the setting alone; "" if there is none.
std::string fill_setting(std::string_view content, std::string_view setting,
                         std::string_view value);

// Where a component looks for a file, and what in it decides who a player is.
struct Places {
  std::string file;  // final path of what a build has
  // Paths on the server, in the order of the component: the first file that is there counts.
  // Relative to the server root, or below kLibraryFolder.
  std::vector<std::string> looked_for;
  // The settings that decide which Steam ID a player gets, by their names.
  std::vector<std::string> identity = {};

  friend bool operator==(const Places&, const Places&) = default;
};

// Begins a place that is beside the library of the component which the server loads.
inline constexpr std::string_view kLibraryFolder = "@library/";

struct Component {
  Slug slug;
  std::string name;
  std::string description;
  std::string homepage;
  std::string license;
  Layer layer = Layer::engine;
  bool is_default = false;
  bool selectable = true;
  std::int64_t sort_order = 0;
  std::vector<Rule> rules;
  Upstream upstream;
  InstallRules install;
  std::map<Version, InstallRules, std::less<>> install_overrides;  // by version
  // Globs on the final path: the files that are the owner's to edit, shipped or not. Empty = not
  // told, see is_configuration().
  std::vector<std::string> configuration = {};
  std::vector<Secret> secrets = {};
  std::vector<Places> places = {};  // each file once
  Loads loads;
  std::vector<Advice> advice;
  std::vector<Defect> defects = {};
  std::vector<ComponentVersion> versions;  // newest first (decision S1a); empty = never mirrored

  friend bool operator==(const Component&, const Component&) = default;

  // For people: the name, or the slug where it has none.
  std::string title() const { return name.empty() ? slug.str() : name; }
  // The newest one that is not held: what callers get who pin none. Null if there is none.
  const ComponentVersion* latest() const;
  const ComponentVersion* find_version(std::string_view version) const;
  // The first defect that holds such a version; null if none does.
  const Defect* holding_defect(std::string_view version) const;
  // The defects of the version that are no reason why it is held.
  std::vector<const Defect*> told_defects(const ComponentVersion& version) const;
  const InstallRules& install_for(std::string_view version) const;
};

// The files of versions of components.
using VersionFiles = std::map<std::pair<Slug, Version>, std::vector<ManifestFile>>;

// AMX Mod X itself, relative to the server root.
inline constexpr std::string_view kAmxModXFile = "cstrike/addons/amxmodx/dlls/amxmodx_mm_i386.so";

// NAME of a module's file, which is modules/NAME_amxx_i386.so of AMX Mod X; "" for any other path.
std::string_view module_of(std::string_view path);

// True for the files that offer natives to plugins: AMX Mod X and its modules.
bool has_natives(std::string_view path);

// The name of an include for plugins' sources as these name it, with the extension; "" for any
// other path.
std::string_view include_of(std::string_view path);

// Whether it is a map of the server, relative to its root.
bool is_map(std::string_view path);

// The name of a WAD that a map may name: up to 64 characters of ASCII without spaces and slashes,
// in lower case, with the extension.
bool is_wad_name(std::string_view text);

// True for the files of which the names are recorded: has_natives(), an include or a map.
bool has_names(std::string_view path);

// What an include declares: `n:NAME`, a native; `f:`, a forward; `s:`, a function or variable of
// its own; `c:`, a constant, tag or macro.
bool is_declared_name(std::string_view text);

// True if the name alone says that a file is configuration: it ends with .ini or .cfg, or is below
// a folder `configs`, in any case of letters.
bool is_named_as_configuration(std::string_view path);

// True if the file at `path`, relative to the server root, is the owner's to edit: by the globs of
// the component, or, where it has none, by its name (decision S14).
bool is_configuration(const Component& component, std::string_view path);

// What tells that a component is installed, and in which version: those of `files`, of one of its
// versions, that the engine or the loader loads, or all libraries if nothing names one. The
// engine's is its library. Refers to the paths.
std::set<std::string_view> main_files(const Component& component,
                                      const std::vector<ManifestFile>& files);

// Where components have the includes of plugins, relative to the server root.
inline constexpr std::string_view kIncludeFolder = "cstrike/addons/amxmodx/scripting/include/";

// True if `left` is newer: later `released_at`, then later by the order of versions (decision S1a).
bool is_newer(const ComponentVersion& left, const ComponentVersion& right);

// Every known component, mirrored or not, in load order: `sort_order`, then slug.
class Catalog {
 public:
  Catalog() = default;
  // Sorts the components and their versions, and holds the versions that a defect holds, unless
  // they were released by hand. Throws std::invalid_argument for a duplicate slug.
  explicit Catalog(std::vector<Component> components);

  std::span<const Component> components() const { return components_; }
  // Null if unknown. The pointer is valid as long as the catalog.
  const Component* find(std::string_view slug) const;

 private:
  std::vector<Component> components_;
  std::map<Slug, std::size_t, std::less<>> by_slug_;
};

// Tuned configuration that replaces an upstream file when a build is optimized (decision S13).

// Identified by path and component. Sections of one path apply in the order of `position`, then
// component slug.
struct OverlaySection {
  std::string path;               // relative to the server root
  std::optional<Slug> component;  // applies when this one is selected; absent = always
  std::int64_t position = 0;
  std::string content;
};

}  // namespace goldsmith::domain
