// What is newest in the repositories that plugins come from (decision P26), as archives of all
// files: of GitHub, or of any forge that makes an archive of a branch.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/domain/plugin.hpp"
#include "app/mirror/github.hpp"
#include "app/mirror/tag_choice.hpp"
#include "app/mirror/web.hpp"

namespace goldsmith::mirror {

struct Snapshot {
  std::string commit;                     // its digest; "" = the forge does not tell it
  std::string release = {};               // the name of the release or tag; "" = it is none
  std::optional<domain::Timestamp> time;  // of the commit, or of the release; absent = unknown
  std::string url;                        // of the archive
  std::string notes = {};                 // of the release; "" = nothing is known

  // What a version of it is said to be of.
  const std::string& name() const { return release.empty() ? commit : release; }
  // That tells it from what had the same name before.
  std::string mark() const { return release + ' ' + commit; }
};

// What is known of a repository whose tags or releases count.
struct KnownTags {
  PublicTag published = {};
  std::string digest = {};  // of what it had when it was asked last; "" = it never was
};

struct WaitingSnapshot {
  Snapshot snapshot;
  std::string why;  // for people
};

struct Newest {
  Snapshot snapshot;                          // what is taken from it
  std::vector<WaitingSnapshot> waiting = {};  // what else is new, and no version that follows
  std::string digest = {};                    // of its tags or releases; "" of commits
  // What a person should know of them; absent = what was known of the same digest.
  std::optional<std::string> remark = {};
};

// One connection for any number of repositories. Functions throw FetchError, NotFound if the
// repository is not there (any more), QuotaExceeded, base::FileError and base::Interrupted.
class Repositories {
 public:
  // See ReleaseFetcher.
  Repositories(const base::UpstreamConfig& config, std::filesystem::path cache,
               const base::Clock& clock)
      : web_(config, clock), github_(web_, config, std::move(cache)), clock_(clock) {}
  Repositories(const Repositories&) = delete;
  Repositories& operator=(const Repositories&) = delete;

  // Precondition: the upstream is not empty.
  Newest newest(const domain::PluginUpstream& upstream, const KnownTags& known);
  // What its name leads to; std::nullopt where nobody can tell. Requested once in the life of the
  // object.
  std::optional<GithubRepository> identify(const domain::PluginUpstream& upstream);
  // Whether a server proves that the archive still is what it was when it had that stamp
  // (Download); false if it can't tell.
  bool is_same(const Snapshot& snapshot, const std::string& stamp) {
    return web_.is_unchanged(snapshot.url, stamp);
  }
  Download download(const Snapshot& snapshot, const std::filesystem::path& file,
                    const OnProgress& on_progress);

  // Whether a commit that was the newest is in the history of the one that is. True where nobody
  // can tell: identify() tells that of those.
  bool continues(const domain::PluginUpstream& upstream, const Snapshot& snapshot,
                 const std::string& former);
  // What the commits say that changed a path after `since`, newest first; empty where nobody can
  // tell.
  std::vector<std::string> subjects(const domain::PluginUpstream& upstream,
                                    const Snapshot& snapshot, const std::string& path,
                                    domain::Timestamp since);

 private:
  Newest of_releases(const domain::PluginUpstream& upstream, const KnownTags& known);
  Newest of_tags(const domain::PluginUpstream& upstream, const KnownTags& known);
  std::string tagged_later(const domain::PluginUpstream& upstream,
                           const std::vector<TaggedCommit>& tags, const std::string& highest);
  Snapshot of_commit(const domain::PluginUpstream& upstream, const std::string& from,
                     const std::string& path);

  Web web_;
  Github github_;
  const base::Clock& clock_;
};

// True for OWNER/NAME on GitHub, false for an address.
bool is_on_github(const domain::PluginUpstream& upstream);

// What a version has as its `changes`: a list in CommonMark of at most `most` bytes, in which the
// texts are what they are, whatever is in them. "" of none.
std::string list_of_changes(const std::vector<std::string>& subjects, std::size_t most);

}  // namespace goldsmith::mirror
