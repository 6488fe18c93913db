// Plugins, their versions and files. Functions throw db::Error.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/domain/plugin.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// The toolchain that compiles a plugin's latest version.
struct CompiledWith {
  std::string toolchain;  // line
  std::string fingerprint;
  std::int64_t verdicts = 0;  // of limits::Freshness: the answer is kept until it moves
  // And what the recommended server of that line showed with it, too.
  enum class Proof { compiles, runs, plays } proof = Proof::compiles;

  friend bool operator==(const CompiledWith&, const CompiledWith&) = default;
};

// The latest version is known to need no library but those, and no native of others. Where the
// toolchains differ, the newest counts that compiles it.
struct NeedsAtMost {
  std::vector<CompiledWith> toolchains;  // the oldest first
  std::vector<std::string> libraries;    // legal names, in lower case

  friend bool operator==(const NeedsAtMost&, const NeedsAtMost&) = default;
};

// Each ends with the slug, ascending. `relevance`: how well the words match (decision P21), then
// downloads.
enum class PluginOrder { relevance, downloads, newest, name };

struct PluginFilter {
  std::string folded_text;  // case-folded; "" = any. Matches inside the name or inside one tag
  std::optional<domain::Slug> category;            // exact
  std::optional<CompiledWith> compiled_with = {};  // by a check
  std::optional<CompiledWith> runs_with = {};      // by a check
  std::optional<CompiledWith> plays_with = {};     // by a check
  std::string author = {};                         // exact; "" = any
  std::optional<NeedsAtMost> needs = {};           // by a check
  std::vector<std::string> words = {};             // as base::folded_words() has them; all match
  PluginOrder order = PluginOrder::relevance;
};

struct PluginPage {
  std::int64_t total = 0;
  std::vector<domain::PluginSummary> plugins;
};

// What is downloaded, or shown of it.
struct PublishedVersion {
  domain::PluginVersion version;
  std::string toolchain;  // the plugin's own
};

// What a server build takes of a published plugin.
struct NewestVersion {
  std::string name;                              // of the plugin
  std::optional<domain::PluginVersion> version;  // std::nullopt = it has no published version
};

// Whose work a plugin is: those of one author, or from one repository, go together.
struct PluginFamily {
  std::string author;
  std::string repository;  // of its newest published version; "" = not known

  friend bool operator==(const PluginFamily&, const PluginFamily&) = default;
};

// A published plugin that registers libraries for others.
struct LibraryPlugin {
  domain::Slug slug;
  std::string name;
  domain::Version version;                       // its newest published one
  std::vector<domain::CompileVerdict> verdicts;  // on that
  PluginFamily family = {};
  std::string binary = {};  // of that version; "" = it has no source

  friend bool operator==(const LibraryPlugin&, const LibraryPlugin&) = default;
};

// One row of `goldsmith plugin list`.
struct PluginOverview : domain::PluginSummary {
  domain::Status status = domain::Status::draft;
  std::int64_t version_count = 0;
  std::int64_t held_count = 0;  // of them
};

// `kept` and `removed`: by the import of default overlays alone.
enum class ImportChange { created, updated, unchanged, kept, removed };

// A published plugin as an index in memory needs it. Whoever is shown one copies the texts.
struct IndexedPlugin {
  std::int64_t id = 0;
  std::string_view slug;
  std::string_view name;
  std::string_view category;
  std::string_view author;
  std::string_view license;
  std::string_view latest_version;  // "" = none is published
  std::string_view summary;
  std::string_view search_text;  // folded name and tags, each ended by U+001F
  std::string_view console;      // the names of its cvars and commands, as a list in JSON
  domain::Rating rating;
  std::int64_t downloads = 0;
  domain::Timestamp updated_at{};
};

// The point in time that such an index shows.
struct IndexedState {
  std::int64_t revision = 0;
  std::int64_t unrecorded = 0;  // changes whose plugins are not recorded
  std::int64_t download = 0;    // the newest id of the download log
};

// A published version of a published plugin, as a line of news.
struct VersionNews {
  domain::Slug slug;
  std::string name;
  std::string author;
  domain::Slug category;
  domain::Version version;
  domain::Timestamp created_at{};
};

// A draft that was mirrored and not published, and neither was a newer one since.
struct HeldVersion {
  domain::Slug slug;
  domain::Version version;
  domain::Timestamp created_at{};
  std::string held;  // a line for each reason
};

// A version that was taken from a repository (decision P26).
struct TakenVersion {
  domain::Slug slug;
  domain::Version version;
  domain::Timestamp created_at{};
  domain::Status status = domain::Status::draft;
  domain::VersionOrigin origin;
};

// A plugin whose latest version has a lower number than one before it (decision P1).
struct LowerLatest {
  domain::Slug slug;
  domain::Version latest;
  domain::Version highest;  // of the published ones
};

// A published plugin, as its versions are told with it.
struct PluginName {
  domain::Slug slug;
  std::string name;
  std::string author;
};

// A file of a plugin in which its author may have written anything.
struct StoredText {
  domain::Slug slug;
  domain::Version version;
  bool is_public = false;
  domain::PluginFile file;  // its name, kind and content alone
};

// Whether find_version(), find_head() and find_newest() find drafts, too: versions that are named
// exactly, and the plugins that have them. For commands that try them before they are published.
enum class Drafts { hidden, found };

class PluginStore {
 public:
  explicit PluginStore(Database& database, Drafts drafts = Drafts::hidden)
      : database_(database), drafts_(drafts) {}

  // Published only -------------------------------------------------------------------------------
  // With published versions, newest first, and their files without content.
  std::optional<domain::Plugin> find(const domain::Slug& slug);
  // A published version of a published plugin, with its files as of load_files().
  std::optional<PublishedVersion> find_version(const domain::Slug& slug,
                                               const domain::Version& version);
  // find_version() without the files.
  std::optional<PublishedVersion> find_head(const domain::Slug& slug,
                                            const domain::Version& version);
  // The published ones of these plugins, each with its newest published version, which is without
  // files. One query for all.
  std::map<domain::Slug, NewestVersion> find_newest(const std::vector<domain::Slug>& slugs);
  // The newest published version of each of these plugins that has one, without files.
  std::map<domain::Slug, PublishedVersion> newest_verdicts(const std::vector<domain::Slug>& slugs);
  // The plugins whose newest version registers a library, as a check found: the most downloaded
  // first.
  std::vector<LibraryPlugin> library_plugins();
  // Of those that are known and published.
  std::map<domain::Slug, PluginFamily> families(const std::vector<domain::Slug>& slugs);
  // What can be set of the published plugins among these.
  std::vector<domain::PluginCvar> cvars(const std::vector<domain::Slug>& slugs);

  // Every published version of a published plugin, by slug, with its files and their SHA-256.
  void each_version(
      const std::function<void(const PluginName& plugin, domain::PluginVersion version)>& visit);

  // The files of stored versions, published or not -----------------------------------------------
  domain::FileTotals file_totals(const std::vector<std::int64_t>& version_ids);
  // Without their content, but with what is known of it: SHA-256 and named files, unless
  // `content_digest` is "". One query for all. Precondition: the ids are set.
  void load_files(const std::vector<domain::PluginVersion*>& versions);
  // std::nullopt if the version or the file is gone.
  std::optional<std::string> read_content(std::int64_t version_id, std::int64_t position);
  // Reads the content of `files` of that version, about a megabyte at a time, and gives each to
  // `visit` with its index, in the order of `files`. False if one is gone: the rest is not read.
  using VisitContent = std::function<void(std::size_t index, std::string content)>;
  bool each_content(std::int64_t version_id, const std::vector<const domain::PluginFile*>& files,
                    const VisitContent& visit);

  // Published only -------------------------------------------------------------------------------
  // Categories with at least one published plugin, by name.
  std::vector<domain::CategoryCount> categories();

  // Newest `created_at` first; of `LatestOnly::yes` each plugin's latest version alone.
  enum class LatestOnly { no, yes };
  std::vector<VersionNews> newest_versions(std::int64_t limit, LatestOnly latest_only);
  // In slug order: slugs and when the plugin changed.
  std::vector<std::pair<domain::Slug, domain::Timestamp>> published_slugs(std::int64_t offset,
                                                                          std::int64_t limit);

  // For an index in memory: every published plugin in slug order, as of one point in time, which it
  // returns, after `begin`, which is called again before a second try; then those that have changed
  // since such a point in time, with nullptr for one that is not published any more, or
  // std::nullopt and no visit if that is not recorded or more than `most` plugins; and the counters
  // (plugin, downloads) that may have changed since an id of the download log.
  IndexedState each_indexed(const std::function<void()>& begin,
                            const std::function<void(const IndexedPlugin&)>& visit);
  using VisitChange = std::function<void(std::string_view slug, const IndexedPlugin*)>;
  std::optional<IndexedState> each_indexed_change(const IndexedState& since, std::int64_t most,
                                                  const VisitChange& visit);
  // What find() finds, for half of the server's time, where the plugin's id and summary are known;
  // and what the files of the latest version name.
  std::optional<domain::Plugin> find_rest(std::int64_t id, domain::PluginSummary summary);
  // The ids of the plugins whose latest version a check compiled with that toolchain.
  std::vector<std::int64_t> compiled_ids(const CompiledWith& toolchain);
  // The ids of the plugins that need no more than that.
  std::vector<std::int64_t> ids_that_need(const NeedsAtMost& most);
  // What the latest version of each plugin needs, where the newest of these toolchains
  // (fingerprints by line) compiled it, by id: a thousand at a time. Of long lists only the first
  // needs.
  using VisitNeeds = std::function<void(std::int64_t id, const std::string& line,
                                        const domain::PluginNeeds& needs)>;
  void each_need(const std::map<std::string, std::string>& toolchains, const VisitNeeds& visit);
  std::int64_t last_download();
  std::vector<std::pair<domain::Slug, std::int64_t>> counters_since(std::int64_t download);

  // For the operator: drafts too ------------------------------------------------------------------
  std::vector<PluginOverview> list_all();
  // The plugins that come from a repository, by slug.
  std::vector<std::pair<domain::Slug, domain::PluginUpstream>> upstreams();
  // The versions that wait, by slug, with why.
  std::vector<HeldVersion> held_versions();
  // Those of all plugins that were taken from a repository, by slug.
  std::vector<TakenVersion> taken_versions();
  // The published ones, by slug. Right if their manifests have dates that say so.
  std::vector<LowerLatest> lower_latest();
  // The texts of at most 1 MB of that plugin, or those of all plugins that are public.
  void each_text(const std::optional<domain::Slug>& slug,
                 const std::function<void(const StoredText&)>& visit);
  std::optional<domain::Plugin> find_any(const domain::Slug& slug);
  // find_any() with the content of all files.
  std::optional<domain::Plugin> find_whole(const domain::Slug& slug);
  // A db::PluginImport of one plugin. `updated_at` becomes `now` if anything changed.
  ImportChange import(const domain::Plugin& plugin, domain::Timestamp now);
  // False if there is no such plugin. Does not touch its versions.
  bool set_status(const domain::Slug& slug, domain::Status status, domain::Timestamp now);
  // False if there is no such plugin. An import sets it, too, but takes every file of every
  // version.
  bool set_upstream(const domain::Slug& slug, const domain::PluginUpstream& upstream,
                    domain::Timestamp now);
  // False if there is no such version. One that is published is not held any more.
  bool set_status(const domain::Slug& slug, const domain::Version& version, domain::Status status,
                  domain::Timestamp now);
  bool remove(const domain::Slug& slug);
  // Versions whose content was not read since they were imported by an older version of goldsmith.
  std::vector<std::int64_t> undescribed_versions();
  // Stores what is known of the version's content: `content_digest`, and SHA-256 and named files of
  // each file.
  void describe(const domain::PluginVersion& version);

 private:
  IndexedState indexed_state();

  Database& database_;
  Drafts drafts_;
};

}  // namespace goldsmith::db
