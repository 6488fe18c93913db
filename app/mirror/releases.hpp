// Finds and downloads the releases of components: GitHub or plain addresses, digests, signatures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/domain/component.hpp"
#include "app/mirror/github.hpp"
#include "app/mirror/web.hpp"

namespace goldsmith::mirror {

struct ReleaseFile {
  std::string name;  // for people; without folders
  std::string url;
  std::uint64_t size = 0;     // 0 = unknown
  std::string sha256;         // that upstream names; "" = none
  std::string pinned_sha256;  // that the catalog names; "" = none
  std::string stamp;          // see domain::Source; "" = unknown
  std::string signature_url;  // "" = releases are not signed
};

struct Release {
  domain::Version version;
  std::optional<domain::Timestamp> released_at;  // absent = unknown until it is downloaded
  std::vector<ReleaseFile> files;                // in the order in which they are merged
  std::string notes = {};                        // see GithubRelease; "" = nothing is known
  // The newest release of all, if it is held and another one was not asked for.
  std::optional<domain::Version> passed_over = {};
};

// What the file at an address is called, also in a name on this disk; "archive" if the address has
// no such name.
std::string file_name_of(std::string_view url);

// A release on the disk, checked.
struct FetchedRelease {
  // In the order of the release; their last parts are file_name_of() their addresses.
  std::vector<std::filesystem::path> archives;
  std::vector<domain::Source> sources;  // of the archives, in the same order
  std::vector<ReleaseFile> unpinned;    // files whose digest the catalog does not name, with it
  std::optional<domain::Timestamp> last_modified;  // of the newest file; absent = unknown
};

// True for a version that nobody gets who does not name it.
using IsHeld = std::function<bool(const domain::Version& version)>;

// How much of a file there is, and of how much; 0 = unknown.
using OnFileProgress =
    std::function<void(const std::string& file, std::uint64_t done, std::uint64_t total)>;

// One connection and one cache of GitHub's answers, for any number of components. Functions throw
// FetchError, base::FileError and base::Interrupted.
class ReleaseFetcher {
 public:
  // `cache` is a folder for GitHub's answers, which may be removed at any time. `config` and
  // `clock` must outlive the object. Throws FetchError if the configured token is unusable.
  ReleaseFetcher(const base::UpstreamConfig& config, std::filesystem::path cache,
                 const base::Clock& clock)
      : config_(config), web_(config, clock), github_(web_, config, std::move(cache)) {}
  ReleaseFetcher(const ReleaseFetcher&) = delete;
  ReleaseFetcher& operator=(const ReleaseFetcher&) = delete;

  // `version`: absent = the newest that is neither a draft nor a pre-release; a pre-release must be
  // named, and so must one of which `is_held` says so. What FetchError says lists the available
  // versions or files, and names the newest older release that has all files. Precondition: the
  // upstream is not empty.
  Release find(const domain::Upstream& upstream, const std::optional<domain::Version>& version,
               const IsHeld& is_held);

  // What its repository is; std::nullopt if it has none. Requested once in the life of the object.
  std::optional<GithubRepository> identify(const domain::Upstream& upstream);

  // When it was last asked about; std::nullopt = never. Of plain addresses, when find() was called.
  std::optional<std::filesystem::file_time_type> last_asked(const domain::Upstream& upstream) const;

  // Whether upstream proves that `file` still is what `source` was downloaded from: by a digest, by
  // a time that changes when an asset is replaced, or by asking the server.
  bool is_same(const ReleaseFile& file, const domain::Source& source);

  // Downloads every file of `release` into `folder`, and checks digests and the signature that
  // `signature` describes, if any.
  FetchedRelease download(const Release& release, const std::optional<domain::Signature>& signature,
                          const std::filesystem::path& folder, const OnFileProgress& on_progress);

 private:
  const base::UpstreamConfig& config_;
  Web web_;
  Github github_;
};

}  // namespace goldsmith::mirror
