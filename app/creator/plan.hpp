// From a validated stack to the exact list of files of its archive. Pure (decisions S5 to S13).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/creator/selection.hpp"
#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::creator {

enum class Origin { upstream, generated, edited, plugin };
std::string_view to_string(Origin origin);

// A directory plugin that compiled for the selected platform.
struct CompiledPlugin {
  domain::PluginVersion version;           // its files described; without their content
  std::string binary;                      // the .amxx file
  std::string content_digest;              // of the version's files
  std::string toolchain_fingerprint;       // of the toolchain and of the includes that it read
  domain::PluginNeeds needs = {};          // nothing where they are not known
  std::vector<std::string> warnings = {};  // for the notes; clauses
};

// Why a requested directory plugin is left out.
enum class SkipReason {
  unknown,      // no such published plugin
  unpublished,  // no published version with files
  no_source,    // nothing to compile
  rejected      // it does not compile for the selected platform
};

// A published version that is newer than the one that is used.
struct PassedOver {
  domain::Version version;
  SkipReason reason = SkipReason::rejected;
};

// The outcome for one requested directory plugin.
struct PluginOutcome {
  std::string slug;
  std::variant<SkipReason, CompiledPlugin> result;
  std::string name = {};                       // "" = the directory has no such plugin
  std::optional<PassedOver> passed_over = {};  // the newest of them
  // That of the toolchain which compiled it, if that of the platform does not; "" = it does.
  std::string older_line = {};
  // Where the newest version does not compile.
  std::string missing_include = {};  // as its source names it; "" = not the reason
  std::string hint = {};             // what would help; "" = not known
  // Why it will not be loaded; sentences that begin in lower case.
  std::vector<base::Message> obstacles = {};
  // As RequestedPlugin has it.
  std::optional<int> frame_percent = {};
};

struct PlanInput {
  SelectionRequest request;
  Selection selection;  // versions with their files loaded
  std::vector<PluginOutcome> plugins;
  std::vector<domain::OverlaySection> overlays;
  std::string settings_binary = {};  // of settings_plugin(), if there are settings
};

struct PlannedFile {
  // Copied from the depot ZIP of selection.components[component].
  struct FromDepot {
    std::size_t component;
  };
  // A file of a version of a directory plugin, where it is stored.
  struct FromPlugin {
    std::int64_t version_id;
    std::int64_t position;
    std::vector<std::string> wads = {};  // that a map takes textures of
  };
  std::string path;
  std::uint64_t size = 0;
  bool executable = false;
  std::string sha256;  // hex; "" = not recorded for this version of the component
  std::string from;    // component slug, "svc", "svc-optimized" or "plugin:SLUG"
  Origin origin = Origin::upstream;
  std::variant<FromDepot, FromPlugin, std::string> source;  // a string has the bytes of the file
  domain::Timestamp modified{};                             // of archive::entry_time()
};

// A directory plugin with files in the plan.
struct PlannedPlugin {
  std::string slug;
  domain::Version version;
  std::string content_digest;
  std::string toolchain_fingerprint;
};

// What came of a directory plugin that was asked for.
enum class PluginStatus {
  added,
  older,   // in the build, with an older version than its newest
  skipped  // nothing of it is in the build
};
std::string_view to_string(PluginStatus status);

struct RequestedPlugin {
  std::string slug;
  std::string name;     // "" = the directory has no such plugin
  std::string version;  // in the build; "" if skipped
  PluginStatus status = PluginStatus::skipped;
  std::string reason = {};                // a sentence: why it is not as asked for; "" if it is
  std::string hint = {};                  // what would help; "" = not known
  std::string rival = {};                 // the plugin that is there in its place; "" = none
  std::vector<std::string> needs = {};    // modules and libraries, by name
  std::string binary = {};                // as registered in kPluginListPath; "" = not registered
  std::size_t place = 0;                  // in that list, from 1; 0 = not registered
  bool is_bound = false;                  // what loads before it has to: it uses that
  std::optional<int> frame_percent = {};  // of domain::StartVerdict, with the platform's line
  std::vector<base::Message> notes = {};  // the notes of the plan about this plugin
};

struct Plan {
  std::string build_hash;
  std::string completes = {};  // of a partial archive: the build that its files lead to
  std::string from = {};       // and the one that they are added to; both "" of a build
  bool optimized = false;
  Selection selection;
  std::vector<PlannedPlugin> plugins;      // with files in the plan; by slug
  std::vector<RequestedPlugin> requested;  // all; by slug
  std::vector<PlannedFile> files;          // sorted by path, each path once
  std::uint64_t total_bytes = 0;
  // component_notes(), those of `requested`, then component_advice().
  std::vector<std::string> notes;
  std::string download_query;  // "components=…&plugins=…&optimized=1", encoded (decision S9)
  // The same with what is bundled pinned, too, and without what is not in the build: gives it again
  // whatever newer versions there are.
  std::string build_query;
  std::string selection_id = {};  // of the request
};

Plan make_plan(PlanInput input);

// The plan of a partial archive: the files of `plan` that `base` lacks or has with other content or
// another mode, so that whoever has the files of `base` gets those of `plan` with it (decision
// S31). A file whose digest is not recorded counts as changed. `build_hash` names the archive, as
// its comment, and no build: it is the SHA-256 of
//   goldsmith partial archive 1
//   from HASH
//   to HASH
// and checksum_list(plan), which also proves to a script that its list is whole.
Plan partial_plan(const Plan& base, Plan plan);

// Names what was asked for by the components and plugins, whatever versions that leads to: 32
// digits in lower-case hex. Nothing else of a request changes what game clients download (decision
// S44).
std::string selection_id(const SelectionRequest& request);

// The query string that is recorded with an archive: build_query, with `from` of a partial one.
std::string archive_query(const Plan& plan);

// Remarks about a valid stack (decision S11): its absences, and then, in load order, versions that
// are held, and recommended components that are not selected.
std::vector<base::Message> component_notes(const Selection& selection);
// The advice and the known defects of the selected versions, in load order: what is true of any
// stack with them.
std::vector<base::Message> component_advice(const Selection& selection);

// The files of a build for `sha256sum -c`, a line for each, by path: equal build hashes give equal
// bytes.
std::string checksum_list(const Plan& plan);

// Whether two files of one path have the same content and mode, whatever their times; false where
// the digest of one is not recorded.
bool is_same_file(const PlannedFile& one, const PlannedFile& other);

// Null if `path` is not in the plan. Compares exactly, without normalisation.
const PlannedFile* find_file(const Plan& plan, std::string_view path);

// The files that must name the exact stack, written for each build (decisions S5, S7).
inline constexpr std::string_view kLiblistPath = "cstrike/liblist.gam";
inline constexpr std::string_view kMetamodListPath = "cstrike/addons/metamod/plugins.ini";
inline constexpr std::string_view kPluginFolder = "cstrike/addons/amxmodx/plugins";
inline constexpr std::string_view kPluginListPath =
    "cstrike/addons/amxmodx/configs/plugins-svc.ini";

// The file that the engine reads first. It names the loader; without a loader the game library;
// without either Valve's library.
std::string liblist_gam(const Selection& selection);

// The libraries that the loader loads, each once, in load order.
std::string metamod_plugins_ini(const Selection& selection);

// The binaries of directory plugins as AMX Mod X can load them: in the order given, but a name that
// begins another one ("x.amxx", "x.amxx.amxx") behind that.
std::vector<std::string> loadable_order(const std::vector<std::string>& binaries);

// The list of them, which AMX Mod X loads in addition to its own.
std::string plugins_svc_ini(const std::vector<std::string>& binaries);

// Which files of a build are their owner's to edit (decision S28).

// Whether a file of the plan is.
bool is_configuration(const Plan& plan, const PlannedFile& file);

// The paths of a plan's configuration, sorted, one a line: of components by their manifests, of
// plugins by the names, and whatever an optimized build tunes. What the service generates is none:
// a build does not load without it.
std::string configuration_list(const Plan& plan);

// Made by the build from base_game_files.txt.

// Paths below valve/ or cstrike/, in lower case, sorted.
std::span<const std::string_view> base_game_files();

}  // namespace goldsmith::creator
