// Releases of repositories on GitHub, through its REST API.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/domain/identifiers.hpp"
#include "app/domain/timestamp.hpp"
#include "app/upstream/web.hpp"

namespace goldsmith::upstream {

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
  domain::Timestamp published_at{};
  bool prerelease = false;
  std::vector<GithubAsset> assets;
};

class Github {
 public:
  // `cache`: a folder for GitHub's answers. `web` and `config` must outlive it. Throws FetchError
  // if the configured token is unusable.
  Github(Web& web, const sys::UpstreamConfig& config, std::filesystem::path cache);

  // All releases except drafts, newest first. Requested once in the life of the object; a cached
  // answer is used if GitHub confirms that it is current, which costs one request. Throws as Web
  // does, and FetchError if the answer is malformed.
  const std::vector<GithubRelease>& releases(const std::string& repository);

  // When an object with this cache last asked GitHub about the repository, whatever the answer,
  // unless the quota was used up; std::nullopt = never, or the cache was removed.
  std::optional<std::filesystem::file_time_type> last_asked(const std::string& repository) const;

 private:
  std::string url_of(const std::string& repository) const;
  std::filesystem::path cache_file(const std::string& repository) const;
  std::vector<GithubRelease> ask(const std::string& repository);
  std::vector<GithubRelease> fetch(const std::string& repository);

  Web& web_;
  const std::string& api_;
  std::string token_;  // "" = anonymous
  std::filesystem::path cache_;
  std::map<std::string, std::vector<GithubRelease>> known_;
  std::optional<QuotaExceeded> limited_;
};

}  // namespace goldsmith::upstream
