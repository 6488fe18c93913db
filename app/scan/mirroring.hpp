// Mirrors plugins from the repositories that they come from (P26, P27). The way of a version:
//
//   goldsmith plugin follow, plugin mirror      plugin_follow.cpp
//   FollowedRun                                 which repositories, and what is noted of each
//   PluginMirroring                             asks a repository, scans what it has
//     Repositories (app/mirror)                 finds and downloads it
//     Scanner                                   reads and compiles it, with the recorded answers
//     MirroredPlugin                            what becomes of each plugin, and why it waits
//     PluginStarts                              whether a server runs with it as with the former
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/mirror/repositories.hpp"
#include "app/scan/followed.hpp"
#include "app/scan/host.hpp"
#include "app/scan/mirrored_plugin.hpp"
#include "app/scan/plugin_tools.hpp"
#include "app/scan/scanner.hpp"

namespace goldsmith::scan {

// What became of a version, of a plugin or, with its title in place of the slug, of a repository.
struct MirrorEvent {
  enum class Kind { published, created, waits, open, fails, gone, noted, same };
  Kind kind = Kind::noted;
  std::string slug;
  std::string version;               // "" = it is about the plugin
  std::vector<std::string> reasons;  // why it waits, asks or fails
};
std::string_view to_string(MirrorEvent::Kind kind);

struct MirrorReport {
  bool is_unchanged = false;  // there is nothing new, and no answer
  bool is_mirrored = true;    // if not, the events tell why
  // Another one that is followed is the same under another name: nothing else was done.
  std::optional<FollowedRepository> other;
  std::size_t unchanged = 0;                 // plugins
  std::vector<UncompiledSource> uncompiled;  // no toolchain compiles them
  // Files that are not read, such as sources that are links: sentences that begin with the path.
  std::vector<std::string> refused;
  std::vector<MirrorEvent> events;
  std::string open_topics;  // see open_topics()
  std::string remark;       // what is to be known of its tags or releases since now

  std::size_t count(MirrorEvent::Kind kind) const;
};

class PluginMirroring {
 public:
  // Throws Failure if this host can't scan.
  PluginMirroring(const Host& host, std::size_t jobs);

  struct Request {
    ManifestOptions options = {};                                   // the category
    std::vector<std::pair<std::string, std::string>> answers = {};  // TOPIC=ANSWER
    bool again = false;                                             // also if nothing is new
    bool trusts = false;  // what it is now is what a person wants: doubts end
  };
  // Asks its forge; std::nullopt if there is nothing new since `repository` was mirrored. Throws
  // mirror::FetchError.
  std::optional<mirror::Snapshot> find_news(const FollowedRepository& repository);
  // The followed one that it is, under any name, or else itself with its name of now. Throws
  // mirror::FetchError.
  FollowedRepository find_followed(FollowedRepository repository,
                                   const FollowedRepositories& followed);
  // Mirrors what is newest, and notes in `repository` what was mirrored. Nothing that is published
  // changes unless it is done whole. Throws mirror::FetchError, base::FileError, db::Error,
  // base::Interrupted, and Failure for an archive that is refused.
  MirrorReport mirror(FollowedRepository& repository, const FollowedRepositories& followed,
                      const Request& request);
  // Scans what people left in a folder instead, and compiles it until then; publishes nothing: all
  // of it becomes drafts, which are started. `folder`: of the record.
  struct TriedPlugin {
    const ScannedPlugin* scanned = nullptr;
    std::optional<AddedVersion> added;
  };
  struct InboxReport {
    ScannedPlugins scanned;
    std::vector<TriedPlugin> plugins;
  };
  InboxReport take_inbox(const std::filesystem::path& inbox,
                         std::chrono::steady_clock::time_point until,
                         const base::HeldFolder& folder, const Request& request);

 private:
  struct Work {
    const ScannedPlugin* scanned = nullptr;
    std::unique_ptr<MirroredPlugin> mirrored;
  };
  using Works = std::vector<Work>;

  bool is_news(const mirror::Snapshot& snapshot, const FollowedRepository& repository);
  bool has_ended_doubt(const FollowedRepository& repository);
  std::optional<FollowedRepository> find_same(const FollowedRepository& repository,
                                              std::int64_t number,
                                              const FollowedRepositories& followed);
  ScannedPlugins scan(const Scanner::Request& request, const ScanRecord& record);
  struct From {
    FollowedRepository& repository;
    const base::HeldFolder& folder;
    const std::optional<mirror::GithubRepository>& found;
  };
  // Mirrors one snapshot. `waits`: why all of it does, beside what is taken from the repository
  // otherwise; then nothing is noted of it.
  void take(const From& place, const mirror::Snapshot& snapshot, const std::string& waits,
            const Request& request, MirrorReport& report);
  Works compare(const ScannedPlugins& plugins, const FollowedRepository& repository,
                const MirroredFrom& from, const MirrorRules& rules, const Request& request,
                const ScanRecord& record, MirrorReport& report);
  void add_changes(const FollowedRepository& repository, const mirror::Snapshot& snapshot,
                   const MirroredFrom& from, Works& works);
  void import(Works& works, const Request& request);
  void keep_verdicts(const Works& works);
  // Starts the versions that nothing speaks against yet, and the former ones; with `needs_former`
  // only where there is one. False if one is left that could not be started where the former was.
  bool start(Works& works, bool needs_former);
  static void record_sources(const ScannedPlugins& plugins, ScanRecord& record);
  void seed(const domain::PluginUpstream& place, ScanRecord& record);

  const Host& host_;
  std::size_t jobs_;
  Scanner scanner_;
  mirror::Repositories repositories_;
  const domain::PluginTools tools_;
  std::optional<TopicTable> topics_;
  domain::FileOwners owners_;
  MirrorRules rules_;
};

}  // namespace goldsmith::scan
