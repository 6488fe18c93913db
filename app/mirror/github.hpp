// Releases and commits of repositories on GitHub, through its REST API.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/json.hpp"
#include "app/domain/names.hpp"
#include "app/domain/timestamp.hpp"
#include "app/mirror/web.hpp"

namespace goldsmith::mirror {

struct GithubAsset {
  std::string name;
  std::string url;
  std::uint64_t size = 0;
  std::string sha256;  // "" = unknown
  std::string updated_at;
};

struct GithubRelease {
  std::string tag;
  std::optional<domain::Version> version;  // the tag without the "v" before a digit, if legal
  domain::Timestamp published_at{};        // never later than now, where Github has asked
  bool prerelease = false;
  std::vector<GithubAsset> assets;
  std::string notes = {};  // its text, of kMostNotes bytes at most, in lines; "" = it has none
};

struct GithubCommit {
  std::string sha;           // lower-case hex
  domain::Timestamp time{};  // what its author says, but never later than now, as above
  std::string subject;       // the first line of its message, printable
};

struct TaggedCommit {
  std::string tag;
  std::string commit;  // its digest; "" = it is not told
};

// What a name leads to: both numbers stay when it is renamed, and are never used again (P27).
struct GithubRepository {
  std::string name;  // OWNER/NAME as it is now, whatever the name or letter case asked for
  std::int64_t number = 0;
  std::int64_t owner = 0;  // of the account
};

// Which commits are asked about.
struct CommitRequest {
  std::string
      from;  // a branch, a tag or a commit, from which it goes back; "" = the default branch
  std::string path = {};                        // that they changed; "" = any
  std::optional<domain::Timestamp> since = {};  // at that time or later
  std::size_t most = 1;                         // up to 100
};

// What is kept of the text of a release.
inline constexpr std::size_t kMostNotes = 16'000;

class Github {
 public:
  // `cache`: a folder for GitHub's answers, opened as base::HeldFolder is. `web` and `config` must
  // outlive it. Throws FetchError if the configured token is unusable.
  Github(Web& web, const base::UpstreamConfig& config, std::filesystem::path cache);

  // All releases except drafts, newest first. Requested once in the life of the object; a cached
  // answer is used if GitHub confirms that it is current, which costs one request. Throws as Web
  // does, and FetchError if the answer is malformed.
  const std::vector<GithubRelease>& releases(const std::string& repository);

  // Commits, newest first; empty if there is none. One request, and so is each of the following.
  // They throw as releases() does, but NotFound if the repository, or what the request names, is
  // not there.
  std::vector<GithubCommit> commits(const std::string& repository, const CommitRequest& request);
  // What the name leads to. Requested once in the life of the object.
  const GithubRepository& repository(const std::string& name);
  // Its tags, at most 100, in any order.
  std::vector<TaggedCommit> tags(const std::string& repository);
  // Whether the history of `commit` has `former`: false after somebody rewrote it, or if it never
  // was in the repository.
  bool has_in_history(const std::string& repository, const std::string& commit,
                      const std::string& former);
  // Of all files of a commit, or of what has that name: a .tar.gz whose files are in one folder.
  std::string archive_url(const std::string& repository, const std::string& commit) const;
  const std::string& token() const { return token_; }

  // When an object with this cache last asked GitHub about the repository, whatever the answer,
  // unless the quota was used up; std::nullopt = never, or the cache was removed.
  std::optional<std::filesystem::file_time_type> last_asked(const std::string& repository) const;
  // Notes that time for whatever has no answer here; a failure to do so is ignored.
  void mark_asked(const std::string& name) const;

 private:
  std::string url_of(const std::string& repository) const;
  static std::string cache_file(const std::string& repository);
  std::vector<GithubRelease> ask(const std::string& repository);
  std::vector<GithubRelease> fetch(const std::string& repository);
  // The body of the answer, which is not cached.
  std::string get(const std::string& url);

  Web& web_;
  const std::string& api_;
  std::string token_;  // "" = anonymous
  std::filesystem::path cache_;
  std::map<std::string, std::vector<GithubRelease>> known_;
  std::map<std::string, GithubRepository> repositories_;
  std::optional<QuotaExceeded> limited_;
};

// What GitHub's REST API says of releases. Pure: the answers may be anything.

// The answer is not what the API promises.
class MalformedAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The releases of a page, reduced to what read_releases() reads. Throws MalformedAnswer.
json::Array read_page(std::string_view body);

// Throw MalformedAnswer.
std::vector<GithubCommit> read_commits(std::string_view body);
std::vector<TaggedCommit> read_tags(std::string_view body);
// Of a comparison: whether the second commit has the first one in its history.
bool read_is_ahead(std::string_view body);
GithubRepository read_repository(std::string_view body);

// All but drafts, newest first. Throws MalformedAnswer.
std::vector<GithubRelease> read_releases(const json::Array& releases);

// The pages of a URL as they are kept in a file, and the entity tag that the first one had.
struct CachedAnswer {
  std::string etag;  // "" = there is none
  json::Array releases;
};
// The content of the file; text that is no cached answer of the URL is an empty one.
std::string cached_text(const std::string& url, const CachedAnswer& cached);
CachedAnswer read_cached(std::string_view text, std::string_view url);

}  // namespace goldsmith::mirror
