#include "app/mirror/releases.hpp"

#include <algorithm>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/glob.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/mirror/signature.hpp"

namespace goldsmith::mirror {

namespace {

namespace fs = std::filesystem;

void check_digest(const ReleaseFile& file, const std::string& digest, const std::string& expected,
                  const std::string& who) {
  if (expected.empty() || expected == digest) return;
  throw FetchError(file.url + ": its SHA-256 is " + digest + ", but " + who + " names " + expected +
                   "; it was not mirrored");
}

// Each file has a folder of its own, so that two may have one name.
fs::path make_path(const fs::path& folder, std::size_t number, const ReleaseFile& file) {
  const fs::path own = folder / std::to_string(number);
  fs::create_directory(own);
  return own / file_name_of(file.url);
}

void check_signature_of(const ReleaseFile& file, const fs::path& path, const std::string& key,
                        const fs::path& keys, Web& web) {
  const fs::path scratch = path.parent_path() / "signature";
  fs::create_directory(scratch);
  const fs::path signature = scratch / "signature";
  web.download({file.signature_url, signature, 0});
  check_signature(path, signature, key, keys);
}

constexpr std::size_t kMaxNames = 10;  // that an error lists
constexpr std::string_view kVersionMark = "{version}";

std::string quote(const std::string& text) { return '"' + text + '"'; }

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "none" : base::join_some(names, kMaxNames);
}

std::string pinned_digest(const domain::Upstream& upstream, const domain::Version& version,
                          std::size_t index) {
  const auto pins = upstream.sha256.find(version);
  return pins == upstream.sha256.end() || index >= pins->second.size() ? "" : pins->second[index];
}

// The releases of one upstream repository that a component takes from.
class Candidates {
 public:
  Candidates(const domain::Upstream& upstream, const std::vector<GithubRelease>& releases,
             const IsHeld& is_held)
      : upstream_(upstream), is_held_(is_held) {
    for (const GithubRelease& release : releases) {
      tags_.push_back(release.tag);
      if (!release.version) continue;
      if (upstream.tag.empty() || base::matches_glob(upstream.tag, release.tag)) {
        releases_.push_back(&release);
      }
    }
  }

  // The newest of all if newest() passes over it; null otherwise.
  const GithubRelease* passed_over() const {
    const auto first =
        std::ranges::find_if(releases_, [](const auto* each) { return !each->prerelease; });
    return first != releases_.end() && is_held_(*(*first)->version) ? *first : nullptr;
  }

  const GithubRelease& newest() const {
    bool are_held = false;
    for (const GithubRelease* release : releases_) {
      if (release->prerelease) continue;
      if (!is_held_(*release->version)) return *release;
      are_held = true;
    }
    if (are_held) fail("releases" + of_tag() + " that the catalog holds alone: " + versions());
    if (releases_.empty()) fail("no release" + of_tag() + "; its tags: " + listed(tags_));
    fail("pre-releases" + of_tag() + " alone, which --version takes: " + versions());
  }

  // The releases behind that one, newest first, that are no pre-releases.
  std::vector<const GithubRelease*> older_than(const GithubRelease& newest) const {
    std::vector<const GithubRelease*> older;
    auto each = std::find(releases_.begin(), releases_.end(), &newest);
    while (++each != releases_.end()) {
      if (!(*each)->prerelease && !is_held_(*(*each)->version)) older.push_back(*each);
    }
    return older;
  }

  const GithubRelease& named(const domain::Version& version) const {
    for (const GithubRelease* release : releases_) {
      if (*release->version == version || version == release->tag) return *release;
    }
    fail("no release " + version + of_tag() + "; there are: " + versions());
  }

 private:
  std::string of_tag() const {
    return upstream_.tag.empty() ? "" : " whose tag matches " + quote(upstream_.tag);
  }
  std::string versions() const {
    std::vector<std::string> names;
    for (const GithubRelease* release : releases_) names.push_back(release->version->str());
    return listed(names);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw FetchError("https://github.com/" + upstream_.github + " has " + what);
  }

  const domain::Upstream& upstream_;
  const IsHeld& is_held_;
  std::vector<const GithubRelease*> releases_;  // newest first
  std::vector<std::string> tags_;               // of all
};

std::vector<std::string> names_of(const GithubRelease& release) {
  std::vector<std::string> names;
  for (const GithubAsset& asset : release.assets) names.push_back(asset.name);
  return names;
}

const GithubAsset& find_asset(const GithubRelease& release, const std::string& glob) {
  const GithubAsset* found = nullptr;
  std::vector<std::string> matching;
  for (const GithubAsset& asset : release.assets) {
    if (!base::matches_glob(glob, asset.name)) continue;
    found = &asset;
    matching.push_back(asset.name);
  }
  if (matching.size() > 1) {
    throw FetchError("release " + release.tag + ": the glob " + quote(glob) +
                     " matches more than one asset: " + listed(matching));
  }
  if (!found) {
    throw FetchError("release " + release.tag + " has no asset that matches " + quote(glob) +
                     "; its assets: " + listed(names_of(release)));
  }
  return *found;
}

std::string signature_of(const GithubRelease& release, const GithubAsset& asset,
                         const std::optional<domain::Signature>& signature) {
  if (!signature) return "";
  for (const GithubAsset& other : release.assets) {
    if (other.name == asset.name + signature->suffix) return other.url;
  }
  throw FetchError("release " + release.tag + " has no signature " +
                   quote(asset.name + signature->suffix) +
                   "; its assets: " + listed(names_of(release)));
}

Release read(const domain::Upstream& upstream, const GithubRelease& found) {
  Release release{*found.version, found.published_at, {}, found.notes};
  for (std::size_t i = 0; i < upstream.assets.size(); ++i) {
    const GithubAsset& asset = find_asset(found, upstream.assets[i]);
    release.files.push_back({asset.name, asset.url, asset.size, asset.sha256,
                             pinned_digest(upstream, *found.version, i), asset.updated_at,
                             signature_of(found, asset, upstream.signature)});
  }
  return release;
}

// A host that has nothing yet learns which release it can have.
Release read_newest(const domain::Upstream& upstream, const Candidates& candidates) {
  const GithubRelease& newest = candidates.newest();
  try {
    return read(upstream, newest);
  } catch (const FetchError& incomplete) {
    for (const GithubRelease* release : candidates.older_than(newest)) {
      try {
        read(upstream, *release);
      } catch (const FetchError&) {
        continue;
      }
      throw FetchError(std::string(incomplete.what()) + "; --version " + *release->version +
                       " takes the newest release that has what it needs");
    }
    throw;
  }
}

std::string with_version(std::string url, std::string_view version) {
  for (std::size_t at = 0; (at = url.find(kVersionMark, at)) != std::string::npos;
       at += version.size()) {
    url.replace(at, kVersionMark.size(), version);
  }
  return url;
}

std::string file_name(std::string_view url) {
  url = url.substr(0, url.find('?'));
  const std::string_view name = url.substr(url.rfind('/') + 1);
  return std::string(name.empty() ? url : name);
}

Release read_urls(const domain::Upstream& upstream, const std::optional<domain::Version>& named) {
  if (!named && !upstream.version) {
    throw FetchError(upstream.urls.front() + ": which version? Name it with --version");
  }
  Release release{named ? *named : *upstream.version, std::nullopt, {}};
  const bool has_mark =
      std::any_of(upstream.urls.begin(), upstream.urls.end(),
                  [](const auto& url) { return url.find(kVersionMark) != std::string::npos; });
  if (!has_mark && upstream.version && release.version != *upstream.version) {
    throw FetchError(upstream.urls.front() + ": is version " + *upstream.version +
                     "; no other version is available");
  }
  for (std::size_t i = 0; i < upstream.urls.size(); ++i) {
    const std::string url = with_version(upstream.urls[i], release.version);
    release.files.push_back({file_name(url), url, 0, "",
                             pinned_digest(upstream, release.version, i), "",
                             upstream.signature ? url + upstream.signature->suffix : ""});
  }
  return release;
}

// Addresses are no names of files.
std::string mark_of(const domain::Upstream& upstream) {
  return base::sha256_hex(upstream.urls.front());
}

}  // namespace

std::string file_name_of(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  std::string name = base::percent_decode(url.substr(url.rfind('/') + 1));
  return domain::is_file_name(name) ? name : "archive";
}

bool ReleaseFetcher::is_same(const ReleaseFile& file, const domain::Source& source) {
  if (file.url != source.url || (file.size > 0 && file.size != source.size)) return false;
  const std::string& pinned = file.pinned_sha256;
  if (!pinned.empty() && pinned != source.sha256) return false;
  if (!file.sha256.empty()) return file.sha256 == source.sha256;
  if (!file.stamp.empty()) return file.stamp == source.stamp;
  return !pinned.empty() || web_.is_unchanged(file.url, source.stamp);
}

FetchedRelease ReleaseFetcher::download(const Release& release,
                                        const std::optional<domain::Signature>& signature,
                                        const fs::path& folder, const OnFileProgress& on_progress) {
  FetchedRelease fetched;
  for (const ReleaseFile& file : release.files) {
    const fs::path path = make_path(folder, fetched.archives.size() + 1, file);
    const auto progress = [&](std::uint64_t done, std::uint64_t total) {
      on_progress(file.name, done, total);
    };
    const Download download = web_.download({file.url, path, file.size}, progress);
    check_digest(file, download.sha256, file.pinned_sha256, "the catalog");
    check_digest(file, download.sha256, file.sha256, "its release");
    if (signature) {
      check_signature_of(file, path, signature->key, config_.keys, web_);
    }
    fetched.archives.push_back(path);
    const std::string& stamp = file.stamp.empty() ? download.stamp : file.stamp;
    fetched.sources.push_back({file.url, download.size, download.sha256, stamp});
    fetched.last_modified = std::max(fetched.last_modified, download.last_modified);
    if (file.pinned_sha256.empty()) {
      fetched.unpinned.push_back(file);
      fetched.unpinned.back().sha256 = download.sha256;
    }
  }
  return fetched;
}

// Finds the release of a component that is to be mirrored.

std::optional<GithubRepository> ReleaseFetcher::identify(const domain::Upstream& upstream) {
  if (upstream.github.empty()) return std::nullopt;
  return github_.repository(upstream.github);
}

Release ReleaseFetcher::find(const domain::Upstream& upstream,
                             const std::optional<domain::Version>& version, const IsHeld& is_held) {
  if (upstream.github.empty()) {
    github_.mark_asked(mark_of(upstream));
    return read_urls(upstream, version);
  }
  const Candidates candidates(upstream, github_.releases(upstream.github), is_held);
  if (version) return read(upstream, candidates.named(*version));
  Release newest = read_newest(upstream, candidates);
  if (const GithubRelease* passed_over = candidates.passed_over()) {
    newest.passed_over = passed_over->version;
  }
  return newest;
}

std::optional<std::filesystem::file_time_type> ReleaseFetcher::last_asked(
    const domain::Upstream& upstream) const {
  return github_.last_asked(upstream.github.empty() ? mark_of(upstream) : upstream.github);
}

}  // namespace goldsmith::mirror
