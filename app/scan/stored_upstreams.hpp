// Where plugins of the directory come from (decisions P26, P27): as it changes without them, as
// their repository is renamed, gone or not followed any more; and which repository a name leads to,
// asked of its forge.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/domain/source_identity.hpp"
#include "app/mirror/repositories.hpp"
#include "app/scan/followed.hpp"
#include "app/scan/host.hpp"
#include "app/scan/mirrored_plugin.hpp"
#include "app/scan/scanner.hpp"

namespace goldsmith::scan {

// Visits all upstreams, and stores those that `edit` has changed, which it says by true; of an
// empty one nothing is known any more. Returns the slugs of these plugins. Throws db::Error.
using EditUpstream = std::function<bool(const std::string& slug, domain::PluginUpstream& upstream)>;
std::vector<std::string> edit_upstreams(const Host& host, const EditUpstream& edit);

// Those that were mirrored from there and whose newest source no toolchain compiles say so, with
// the first error.
void mark_broken(const Host& host, const ScannedPlugins& plugins,
                 const domain::PluginUpstream& place, const ScanRecord& record);

// All that name a repository of GitHub get its new name.
void rename_upstreams(const Host& host, const std::string& from, const std::string& to);

// Those that come from there are gone since now, unless they are already: all of them, or the
// recorded ones that are not among what was scanned. Return their slugs.
std::vector<std::string> mark_all_gone(const Host& host, const domain::PluginUpstream& place);
std::vector<std::string> mark_unfound_gone(const Host& host, const ScannedPlugins& plugins,
                                           const domain::PluginUpstream& place,
                                           const ScanRecord& record);

// Files of a repository that are not read, such as sources that are links.
struct RefusedFile {
  std::string text;  // a sentence that begins with the path
  std::string slug;  // of the plugin whose source it was; "" = none's
};
std::vector<RefusedFile> refused_files(const ScannedPlugins& plugins, const MirroredFrom& from,
                                       const ScanRecord& record);

// What the versions of the directory tell of the repositories that they were taken from.
struct StoredSources {
  // Throws db::Error.
  explicit StoredSources(const Host& host);

  // Those that come from the place, or from all parts of a repository of that name.
  std::vector<std::string> slugs_of(const domain::PluginUpstream& place) const;
  std::vector<std::string> slugs_of(const std::string& repository) const;
  // Of those of the plugins that have one.
  std::vector<const domain::VersionOrigin*> origins_of(const std::vector<std::string>& slugs) const;
  // Whether none of the plugins is public from another repository than that of the number.
  bool may_be(const std::vector<std::string>& slugs, std::int64_t number) const;

  std::map<std::string, domain::PluginUpstream> upstreams;  // by slug
  // Of the newest public version of each plugin of which GitHub's numbers are known, by slug.
  std::map<std::string, domain::VersionOrigin> origins;
  // Plugins of which a taken version is public and final, and that of no tag that is not.
  std::set<std::string> finals;
  std::map<std::int64_t, std::int64_t> rewrites;  // the most of any version, by repository
};

// Takes its name of now, also for the plugins of the directory, unless that is another repository
// than the one that was mirrored, or the name of another one that is followed. std::nullopt where
// nobody can tell. Functions throw mirror::FetchError.
std::optional<mirror::GithubRepository> identify(FollowedRepository& repository,
                                                 mirror::Repositories& repositories,
                                                 const FollowedRepositories& followed,
                                                 const Host& host);

// What its tags or releases are compared with: of what is public from it, the highest.
mirror::KnownTags known_tags(const FollowedRepository& repository, const Host& host);

// What it is now, beside what was mirrored before: as far as this host knows, or, where it knows
// nothing, as public versions of its plugins tell. What was not known then is trusted.
// `is_trusted`: a person says so.
domain::SourceCheck check_source(const FollowedRepository& repository,
                                 const mirror::Snapshot& snapshot,
                                 const std::optional<mirror::GithubRepository>& found,
                                 bool is_trusted, mirror::Repositories& repositories,
                                 const Host& host);

}  // namespace goldsmith::scan
