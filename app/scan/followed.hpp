// The repositories whose plugins are followed (decisions P26, P27): a folder for each, with what a
// mirror knows of it (upstream.json), and the record and the questions of its scans. They belong to
// the user of the unit that mirrors, whoever made them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/base/file.hpp"
#include "app/base/held_folder.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/source_identity.hpp"

namespace goldsmith::scan {

// In the folder, beside those of repositories: what forges answered (mirror::Repositories).
inline constexpr const char* kAnswers = ".upstream";
// Sources that no toolchain compiles: so many of a repository are named.
inline constexpr std::size_t kMostUncompiled = 100;

struct UncompiledSource {
  std::string path;  // in the repository
  std::string why;   // the first error

  static void members(auto& self, const auto& visit) {
    visit("path", self.path);
    visit("why", self.why);
  }
  friend bool operator==(const UncompiledSource&, const UncompiledSource&) = default;
};

struct FollowedRepository {
  domain::PluginUpstream upstream;
  bool publishes_new = false;      // plugins that the directory does not have yet
  bool takes_prereleases = false;  // as if they were final
  // By their manifests these alone come from it; empty = all that is in it.
  std::vector<std::string> slugs = {};

  // Of what was mirrored last; "" and absent = nothing was.
  std::string commit = {};
  std::optional<domain::Timestamp> time = {};
  std::string stamp = {};  // of the archive, see mirror::Download
  domain::SourceIdentity source = {};
  std::optional<domain::Timestamp> mirrored_at = {};
  // Of its tags or releases: what they were, which of them wait, with their commits, and what a
  // person should know of them; "" and empty of commits.
  std::string tags_sha256 = {};
  std::vector<std::string> waiting_tags = {};
  std::string remark = {};
  std::vector<UncompiledSource> uncompiled = {};  // kMostUncompiled at most
  // The one that a person follows, or has looked at since.
  domain::SourceIdentity trusted = {};
  // Plugins whose newest version waits for a doubt.
  std::vector<std::string> doubted_slugs = {};
  // Numbers of the repositories in whose place that person has put it.
  std::vector<std::int64_t> predecessors = {};
  // It has a version that this host could not start: the next run tries it although nothing is new.
  bool waits_for_start = false;
  // What the paths of its scans begin with, if it has another name now: answers are known by them.
  std::string scanned_as = {};
  // Of questions.json after that: another one says that a person has answered.
  std::string questions_sha256 = {};
  std::optional<domain::Timestamp> asked_at = {};  // when it was tried last, before anything else
  std::string problem = {};                        // that it had then, for people; "" = none
  // In how many runs in a row there was nothing, or what was refused; and since when.
  std::int64_t failed_runs = 0;
  std::optional<domain::Timestamp> failing_since = {};

  std::string folder = {};  // that has it; "" = none yet. Not told

  // "owner/name", with its folder and branch, for people.
  std::string title() const;
  // That its folder is to have; the same for the same upstream.
  std::string name() const;
  // What it is called in the paths of its scans, without the scheme of an address.
  std::string scan_name() const;
  // It fails for good, as far as anybody can tell: that is no failure of a run any more.
  bool is_known_to_fail() const { return failed_runs >= 3; }
  // Why all of it waits until somebody has looked.
  std::vector<domain::Doubt> doubts() const;
  // Of a tag that waits, with its commit (mirror::Snapshot::mark()): whether it was mirrored.
  bool knows_waiting(const std::string& mark) const;
  // What a person should know of it, in a line; "" = nothing.
  std::string trouble() const;

  static void members(auto& self, const auto& visit) {
    visit("upstream", self.upstream);
    visit("publishes_new", self.publishes_new);
    visit("takes_prereleases", self.takes_prereleases);
    visit("plugins", self.slugs);
    visit("commit", self.commit);
    visit("time", self.time);
    visit("stamp", self.stamp);
    visit("source", self.source);
    visit("mirrored_at", self.mirrored_at);
    visit("tags_sha256", self.tags_sha256);
    visit("waiting_tags", self.waiting_tags);
    visit("remark", self.remark);
    visit("uncompiled", self.uncompiled);
    visit("trusted", self.trusted);
    visit("doubted", self.doubted_slugs);
    visit("predecessors", self.predecessors);
    visit("waits_for_start", self.waits_for_start);
    visit("scanned_as", self.scanned_as);
    visit("questions_sha256", self.questions_sha256);
    visit("asked_at", self.asked_at);
    visit("problem", self.problem);
    visit("failed_runs", self.failed_runs);
    visit("failing_since", self.failing_since);
  }
};

// Functions throw base::FileError.
class FollowedRepositories {
 public:
  // One object at a time on a host changes something: the constructor throws Failure if another
  // command has it.
  enum class Access { reads, changes };
  FollowedRepositories(const std::filesystem::path& folder, Access access);

  // Those that were never tried first, then those that were tried longest ago. Throws Failure for
  // one whose upstream.json is damaged.
  std::vector<FollowedRepository> list() const;
  std::optional<FollowedRepository> find(const domain::PluginUpstream& upstream) const;
  // Another one that was mirrored, and is the same part of the same repository under another name.
  std::optional<FollowedRepository> find_other_name(const FollowedRepository& repository,
                                                    std::int64_t number) const;
  // Whether another repository than that of the number is followed by a name.
  bool is_name_of_another(const std::string& name, std::int64_t number) const;
  // In its folder, which gets its name() unless another one has that.
  void save(FollowedRepository& repository) const;
  // False if it is not followed.
  bool remove(const FollowedRepository& repository) const;
  // Of the record and the questions; it is made if there is none. Throws Failure if another
  // repository has its name.
  base::HeldFolder folder_of(FollowedRepository& repository) const;
  base::HeldFolder folder_of(const std::string& name) const;

 private:
  std::optional<FollowedRepository> read(const std::string& name) const;
  void place(FollowedRepository& repository) const;

  base::HeldFolder folder_;
  base::UniqueFd lock_;  // of `changes`
};

}  // namespace goldsmith::scan
