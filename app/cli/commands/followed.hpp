// The repositories whose plugins are followed (decision P26): a folder for each, with what a mirror
// knows of it (upstream.json), and the record and the questions of its scans.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/base/file.hpp"
#include "app/base/held_folder.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::cli {

struct FollowedRepository {
  domain::PluginUpstream upstream;
  bool publishes_new = false;  // plugins that the directory does not have yet
  // By their manifests these alone come from it; empty = all that is in it.
  std::vector<std::string> slugs = {};

  // Of what was mirrored last; "" and absent = nothing was.
  std::string commit = {};
  std::optional<domain::Timestamp> time = {};
  std::string stamp = {};  // of the archive, see mirror::Download
  // Of questions.json after that: another one says that a person has answered.
  std::string questions_sha256 = {};
  std::optional<domain::Timestamp> asked_at = {};  // when the forge was asked last
  std::string problem = {};                        // that it had then, for people; "" = none

  // "owner/name", with its folder and branch, for people.
  std::string title() const;
  // Of its folder; the same for the same upstream.
  std::string name() const;

  static void members(auto& self, const auto& visit) {
    visit("upstream", self.upstream);
    visit("publishes_new", self.publishes_new);
    visit("plugins", self.slugs);
    visit("commit", self.commit);
    visit("time", self.time);
    visit("stamp", self.stamp);
    visit("questions_sha256", self.questions_sha256);
    visit("asked_at", self.asked_at);
    visit("problem", self.problem);
  }
};

// Functions throw base::FileError.
class FollowedRepositories {
 public:
  // One object at a time on a host changes something: the constructor throws Failure if another
  // command has it.
  enum class Access { reads, changes };
  FollowedRepositories(const std::filesystem::path& folder, Access access);

  // Those that were never asked about first, then those that were asked about longest ago. Throws
  // Failure for one whose upstream.json is damaged.
  std::vector<FollowedRepository> list() const;
  std::optional<FollowedRepository> find(const domain::PluginUpstream& upstream) const;
  void save(const FollowedRepository& repository) const;
  // False if it is not followed.
  bool remove(const FollowedRepository& repository) const;
  // Of the record and the questions; it is made if there is none.
  base::HeldFolder folder_of(const std::string& name) const;

 private:
  std::optional<FollowedRepository> read(const std::string& name) const;

  base::HeldFolder folder_;
  base::UniqueFd lock_;  // of `changes`
};

}  // namespace goldsmith::cli
