// Plugins of the directory, their versions and files. Plain values; nothing here touches a
// database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/names.hpp"
#include "app/domain/source_identity.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::domain {

enum class Status { draft, published };

std::string_view to_string(Status status);

struct Rating {
  std::int64_t sum = 0;
  std::int64_t count = 0;

  // Mean rounded to two decimals; 0 without ratings (decision P10).
  double average() const;
};

// A model, sprite, sound or other file that a source has the engine load when a map starts.
struct PrecachedFile {
  // Relative to the game's folder, as "sound/misc/x.wav", in the letters of the source: the system
  // of a server may tell them apart.
  std::string path;
  bool is_model = false;  // models and sprites: a map does not start without them

  static void members(auto& self, const auto& visit) {
    visit("path", self.path);
    visit("is_model", self.is_model);
  }
  friend auto operator<=>(const PrecachedFile&, const PrecachedFile&) = default;
};

// What a file names, as far as compiles and plans ask for it.
struct NamedFiles {
  std::vector<std::string> includes;     // of pawn::included_names()
  std::vector<PrecachedFile> precached;  // of pawn::named_files(); of a map, its WADs
  bool shows_foreign_text = false;       // of pawn::shows_foreign_text()

  static void members(auto& self, const auto& visit) {
    visit("includes", self.includes);
    visit("precached", self.precached);
    visit("shows_foreign_text", self.shows_foreign_text);
  }
  friend bool operator==(const NamedFiles&, const NamedFiles&) = default;
};

struct PluginFile {
  std::string filename;
  std::string install_dir;  // relative to cstrike/, "" = cstrike/ itself
  std::string kind;         // "sma", "inc", "ini", …
  bool is_primary = false;
  std::string sha1;  // hex, of `content`
  std::int64_t size_bytes = 0;
  std::string content;  // empty if a store loaded the list of files alone
  // "UTF-8" or a code page of Windows, as in a Content-Type; "" = not a text, or not known.
  std::string charset = {};
  std::int64_t position = 0;             // in its version, where it is stored
  std::string sha256 = {};               // hex, of `content`; "" = not known
  std::optional<NamedFiles> named = {};  // absent = not known: `content` tells
  // Whose file it would replace on a server, for people; "" = nobody's, or not looked up
  // (FileOwners::mark).
  std::string owner = {};
};

// True for what a plugin is compiled from, by its kind: `sma`, `inc` or `inl`.
bool is_source(const PluginFile& file);

// `{install_dir}/{filename}`, relative to cstrike/ (decision P5); and with `cstrike/`, relative to
// the server root.
std::string installed_path(const PluginFile& file);
std::string path_on_server(const PluginFile& file);

// True for what is no part of a plugin, because somebody else's file has its place: all that a
// plugin is not compiled from (decision P23).
bool is_foreign(const PluginFile& file);

// What a compile of a version says of its source: `undecided` where a limit or a crash ended it.
enum class CompileResult { ok, failed, undecided };
std::string_view to_string(CompileResult result);
std::optional<CompileResult> parse_compile_result(std::string_view text);

// A library that AMX Mod X must have before it loads a plugin, or any one of a class.
struct PluginNeed {
  std::string name;       // lower case: AMX Mod X ignores case here
  bool is_class = false;  // as "sqlx", of which mysql and sqlite are
  // The module that AMX Mod X loads for it on its own, as modules/NAME_amxx_i386.so; "" = it must
  // be listed in modules.ini.
  std::string module = {};

  friend auto operator<=>(const PluginNeed&, const PluginNeed&) = default;
};

// What a compiled plugin says of the natives it calls and of those that others can call. All are
// legal names (is_native_name()), sorted, each once.
struct PluginNatives {
  std::vector<std::string> imports;  // empty if `is_filtered`: it decides itself
  std::vector<std::string> offers;   // what it registers, as far as the file names it
  bool offers_more = false;          // it registers others, whose names the file does not tell
  bool is_filtered = false;          // it has a native filter

  friend bool operator==(const PluginNatives&, const PluginNatives&) = default;
};

// What a compiled plugin says of itself. Every name of a library is a legal one.
struct PluginNeeds {
  std::vector<PluginNeed> required;    // sorted, each once; without those that it registers
  std::vector<std::string> registers;  // libraries that it is itself, for others; sorted
  // It has a module filter: it decides itself, when it is loaded, what it can do without.
  bool is_filtered = false;
  // As findings of a check: without what AMX Mod X and the plugin itself have, and absent where it
  // was not known what AMX Mod X has.
  std::optional<PluginNatives> natives = {};

  friend bool operator==(const PluginNeeds&, const PluginNeeds&) = default;
};

// Bytes of the name of a library or a native: AMX Mod X has room for no more.
inline constexpr std::size_t kLongestNativeName = 63;

// At most that many letters, digits, `_`, `-` and `.` of ASCII; not empty, no leading dot.
bool is_library_name(std::string_view text);

// At most that many letters, digits, `_` and `@` of ASCII; not empty, no leading digit.
bool is_native_name(std::string_view text);

// What a compile told beside its result.
struct CompileFindings {
  std::optional<PluginNeeds> needs = {};  // of `ok`; absent = the plugin's file does not tell
  // Otherwise why, as far as it is known: what would help, in a sentence or two, and the first
  // errors of the compiler, one a line.
  std::string hint = {};
  std::string errors = {};

  friend bool operator==(const CompileFindings&, const CompileFindings&) = default;
};

struct CompileVerdict {
  std::string toolchain;    // line
  std::string fingerprint;  // of the toolchain that it is about
  CompileResult result = CompileResult::undecided;
  std::optional<CompileFindings> findings = {};  // absent = an older check did not keep them
  // What the source includes that neither its files nor the toolchain and the operator have,
  // sorted: names of ASCII letters, digits and "_-+./" (compile::CompileInputs::looked_up).
  std::vector<std::string> includes = {};
  std::string components = {};  // compile::components_digest() of them; "" = no component has one

  friend bool operator==(const CompileVerdict&, const CompileVerdict&) = default;
};

// What a start of the recommended server with a version of a plugin showed.
struct StartVerdict {
  enum class Result {
    runs,
    faulty,
    refused  // it could not be tried: no server can be built with it, or a start lacks what it
             // needs
  };
  std::string toolchain;  // line
  std::string basis;      // of what was started; another one says that it is another server now
  Result result = Result::runs;
  // The first, a line each. Of one that runs: why it can't be played.
  std::vector<std::string> messages = {};
  // What went wrong when made-up players played there, with what they did: "" = nothing. Absent =
  // they did not, or a start lacks what it needs then.
  std::optional<std::string> play_error = {};
  // Of a frame with 32 players that it takes there (rule S53): 0 = nothing noticeable. Absent = it
  // was not measured.
  std::optional<int> frame_percent = {};

  friend bool operator==(const StartVerdict&, const StartVerdict&) = default;
};
std::string_view to_string(StartVerdict::Result result);

// Where a version was taken from, unless a person imported it (decision P26).
struct VersionOrigin {
  std::string repository;         // see PluginUpstream; "" = not known
  std::string commit;             // its digest, or the name of a release or tag
  std::string path;               // of the source in the repository
  std::optional<Timestamp> time;  // of the commit
  std::string sha256;             // hex, of the archive that was read
  SourceIdentity source = {};

  // Whether `commit` is one by its digest: a branch or tag may be another one by now.
  bool is_of_commit() const;
  // The release or tag, if it has a number; "" = there is none, or it is a commit.
  std::string_view tag() const;

  static void members(auto& self, const auto& visit) {
    visit("repository", self.repository);
    visit("commit", self.commit);
    visit("path", self.path);
    visit("time", self.time);
    visit("sha256", self.sha256);
    visit("source", self.source);
  }
  friend bool operator==(const VersionOrigin&, const VersionOrigin&) = default;
};

struct PluginVersion {
  Version version;
  std::optional<Timestamp> created_at;  // absent = that of the first import
  Status status = Status::published;
  std::vector<PluginFile> files;              // in the order of their names
  std::vector<CompileVerdict> verdicts = {};  // of some toolchains (decision P16)
  std::vector<StartVerdict> starts = {};      // of the last start with each line
  std::string changes = {};                   // since the version before; CommonMark
  std::int64_t id = 0;                        // where it is stored; never that of other files
  // Of compile::content_digest(): "" = not known, and neither is what files name.
  std::string content_digest = {};
  VersionOrigin origin = {};
  // Of a draft that was mirrored: why it was not published, a line for each reason; "" = nothing
  // is known against it.
  std::string held = {};
};

// A plugin of goldsmith's own, of one source.
PluginVersion own_plugin(std::string filename, std::string source);

// Of the files of some versions together, with or without their content.
struct FileTotals {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t path_bytes = 0;  // of their names and folders, which each list of them repeats

  void add(const PluginVersion& version);
};
std::uint64_t path_bytes(const PluginFile& file);

// What a version may have at most (decision P12).
inline constexpr std::size_t kMostVersionFiles = 1000;
inline constexpr std::uint64_t kMostVersionBytes = 32U << 20;
inline constexpr std::uint64_t kMostVersionPathBytes = 128U << 10;

struct PluginLink {
  std::string title;
  std::string url;  // http or https

  static void members(auto& self, const auto& visit) {
    visit("title", self.title);
    visit("url", self.url);
  }
  friend bool operator==(const PluginLink&, const PluginLink&) = default;
};

// A variable of the console that sets something.
struct PluginCvar {
  std::string name;
  std::string default_value;  // its value unless it is set; "" = empty, or not stated
  std::string help;

  static void members(auto& self, const auto& visit) {
    visit("name", self.name);
    visit("default", self.default_value);
    visit("help", self.help);
  }
  friend bool operator==(const PluginCvar&, const PluginCvar&) = default;
};

struct PluginCommand {
  std::string name;
  std::string flags;  // the access that it takes, as letters of AMX Mod X; "" = everybody has it
  std::string help;
  bool is_computed = false;     // the plugin computes the access when it runs, and `flags` are ""
  bool is_server_only = false;  // the console of the server takes it, and no player's

  static void members(auto& self, const auto& visit) {
    visit("name", self.name);
    visit("flags", self.flags);
    visit("help", self.help);
    visit("is_computed", self.is_computed);
    visit("is_server_only", self.is_server_only);
  }
  friend bool operator==(const PluginCommand&, const PluginCommand&) = default;
};

// What is told of a plugin at length (decision P20).
struct PluginAbout {
  std::string description;  // CommonMark
  std::vector<PluginLink> links;
  std::vector<PluginCvar> cvars;
  std::vector<PluginCommand> commands;
  std::vector<std::string> game_modes = {};  // whose functions it uses, as "Zombie Plague"

  static void members(auto& self, const auto& visit) {
    visit("description", self.description);
    visit("links", self.links);
    visit("cvars", self.cvars);
    visit("commands", self.commands);
    visit("game_modes", self.game_modes);
  }
  friend bool operator==(const PluginAbout&, const PluginAbout&) = default;
};

// One row of a list: what `GET /v1/plugins` shows of a plugin.
struct PluginSummary {
  Slug slug;
  std::string name;
  Slug category;
  std::string author;
  std::string license;
  std::optional<Version> latest_version;  // published; absent also in what a manifest says
  Rating rating;
  std::int64_t downloads = 0;
  Timestamp updated_at{};
  std::string summary = {};  // what it does, in one line
};

// Where newer versions of a plugin come from: a repository of git (decision P26).
struct PluginUpstream {
  // OWNER/NAME on GitHub, or the https address of an archive that a forge makes of a branch; "" =
  // there is none.
  std::string repository;
  std::string folder;                   // the only one in it that counts; "" = all of them
  std::string releases;                 // what is one: "releases", "tags" or "commits"
  std::string branch;                   // whose commits count; "" = the default one
  std::optional<Timestamp> gone_since;  // the plugin is not there any more
  // Why nothing came of the newest that it has, for people, and since when; "" = nothing is wrong.
  std::string problem = {};
  std::optional<Timestamp> problem_since = {};

  bool empty() const { return repository.empty(); }
  // Leaves what a manifest says of it.
  void forget_findings() {
    gone_since.reset();
    problem.clear();
    problem_since.reset();
  }

  static void members(auto& self, const auto& visit) {
    visit("repository", self.repository);
    visit("folder", self.folder);
    visit("releases", self.releases);
    visit("branch", self.branch);
    visit("gone_since", self.gone_since);
    visit("problem", self.problem);
    visit("problem_since", self.problem_since);
  }
  friend bool operator==(const PluginUpstream&, const PluginUpstream&) = default;
};

// Whether both name the same part of the same repository: GitHub ignores letter case in names. That
// it is gone does not count.
bool is_same_place(const PluginUpstream& one, const PluginUpstream& other);
bool is_same_repository(std::string_view one, std::string_view other);

// Addresses for people, whatever was stored; "" = there is none. Of an upstream that is not on
// GitHub it is the page of its host; of an origin, the file as it was in that commit on GitHub.
std::string page_of(const PluginUpstream& upstream);
std::string page_of(const VersionOrigin& origin);

struct Plugin : PluginSummary {
  std::vector<std::string> tags = {};
  std::string original_url = {};
  std::string toolchain = {};  // "1.8.2", "1.9" or "1.10"
  Status status = Status::draft;
  std::vector<PluginVersion> versions = {};  // newest first (decision P1)
  PluginAbout about = {};
  PluginUpstream upstream = {};
};

struct CategoryCount {
  Slug category;
  std::int64_t count = 0;
};

// The file that is compiled: the primary one of kind `sma`, else the first `sma` file by name
// (decision P4). Null when the version has none. Points into `version`.
const PluginFile* entry_point(const PluginVersion& version);

// The verdict of the toolchain with that fingerprint; null if none is known.
const CompileVerdict* find_verdict(const std::vector<CompileVerdict>& verdicts,
                                   std::string_view toolchain, std::string_view fingerprint);

// True if `left` is newer: later `created_at`, then later by the order of versions (decision P1).
bool is_newer(const PluginVersion& left, const PluginVersion& right);

// Whether neither its number nor the tag that it is of is a beta or the like (decision P26).
bool is_final(const Version& version, const VersionOrigin& origin);

// Where AMX Mod X looks for plugins, relative to cstrike/.
inline constexpr std::string_view kBinaryFolder = "addons/amxmodx/plugins";

// The binary's name for an entry point: its file name with the last extension replaced by `.amxx`,
// and spaces and `;` by `_`, with `p` in front unless it starts with an ASCII letter or digit, and
// cut to what has room in AMX Mod X, which does not load other names from its lists (decision P5).
std::string binary_name(const PluginFile& entry_point);

// True for a file that is where the binary belongs, by that name or as the compilers name it.
bool is_binary_of(const PluginFile& file, const PluginFile& entry_point);

// The toolchain lines that a plugin can be compiled with, oldest first.
const std::vector<std::string>& toolchain_lines();

// Addon packs: curated, ordered bundles of directory plugins.
struct AddonPack {
  Slug slug;
  std::string name;
  std::string description;
  Status status = Status::draft;
  std::optional<Timestamp> created_at;  // absent = that of the first import
  std::int64_t downloads = 0;
  std::vector<Slug> plugins;  // in curation order, unpublished ones included
  // Of a preset, what a server has beside them (decision P32), as the query of a link to the server
  // creator without `plugins`; "" = a pack alone.
  std::string server = {};
};

struct AddonSummary {
  Slug slug;
  std::string name;
  std::string description;
  std::int64_t plugin_count = 0;  // curated: every row of the pack (decision P2)
  std::int64_t downloads = 0;
  Timestamp created_at{};
  std::string server = {};  // of a preset: AddonPack::server
};

struct AddonDetail {
  AddonSummary summary;
  std::vector<PluginSummary> plugins;  // published ones, in curation order
};

// When a version came out, if nobody says it.
struct DatedVersion {
  std::string_view version;
  Timestamp time;
};

// The time of `version`, which is added to the `known` ones, in any order, without a date: `now`,
// unless the newest of them has a higher number. Then it is an older version that comes late, and
// gets the earliest time of those with higher numbers: it is behind all of them, since natural
// order decides among equal times (decisions P1, S1a).
Timestamp time_of_undated(std::string_view version, const std::vector<DatedVersion>& known,
                          Timestamp now);

}  // namespace goldsmith::domain
