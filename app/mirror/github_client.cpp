#include "app/mirror/github.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <string_view>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/held_folder.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::mirror {

namespace {

constexpr int kMaxPages = 20;                  // of 100 releases; what is older is not looked at
constexpr std::uint64_t kMaxTokenSize = 4096;  // bytes of its file

// A missing or unusable file counts as an empty cache.
CachedAnswer load(const std::filesystem::path& cache, const std::string& file,
                  const std::string& url) {
  try {
    return read_cached(base::HeldFolder(cache).read(file), url);
  } catch (const base::FileError&) {
    return {};
  }
}

void save(const std::filesystem::path& cache, const std::string& file, const std::string& url,
          const CachedAnswer& cached) {
  try {
    base::HeldFolder::make(cache).write(file, cached_text(url, cached));
  } catch (const base::FileError&) {
    // The next call then transfers the whole answer again.
  }
}

// The age of the file is the time since; one that holds no answer is made where there is none.
void mark_asked(const std::filesystem::path& cache, const std::string& file) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME,
                  &now);  // what the kernel takes by itself is that of its last tick
  const timespec times[] = {now, now};
  try {
    const base::HeldFolder folder = base::HeldFolder::make(cache);
    if (!folder.entry(file)) folder.write(file, "");
    if (::futimens(folder.open(file).get(), times) == 0) return;
    folder.write(file, folder.read(file));  // of somebody else, in the caller's own folder
  } catch (const base::FileError&) {
    // The next call then asks about it earlier.
  }
}

// `page`: the first one.
json::Array fetch_pages(Document page, const std::string& token, Web& web) {
  json::Array releases;
  for (int pages = 1;; ++pages) {
    json::Array more = read_page(page.body);
    std::move(more.begin(), more.end(), std::back_inserter(releases));
    if (page.next_url.empty() || pages == kMaxPages) return releases;
    page = web.document(page.next_url, "", token);
  }
}

std::string read_token(const std::filesystem::path& file) {
  if (file.empty()) return "";
  const std::string option = "mirror.github_token_file: ";
  struct stat status{};
  if (::stat(file.c_str(), &status) == 0 && (status.st_mode & S_IROTH) != 0) {
    throw FetchError(option + file.string() + " is readable by everybody; run chmod o-r on it");
  }
  std::string content;
  try {
    content = base::read_file(file, kMaxTokenSize);
  } catch (const base::FileError& error) {
    throw FetchError(option + error.what());
  }
  std::string token(base::trim_ascii(content));
  const bool is_valid = !token.empty() && std::all_of(token.begin(), token.end(),
                                                      [](char c) { return c > ' ' && c < 0x7f; });
  if (!is_valid) throw FetchError(option + file.string() + " must hold one token on one line");
  return token;
}

std::string of_repository(const std::string& api, const std::string& repository) {
  return api + "/repos/" + repository;
}

// Reads the answer that `url` gave.
template <typename Read>
auto read_answer(const std::string& url, const std::string& body, Read read) {
  try {
    return read(body);
  } catch (const MalformedAnswer& error) {
    throw FetchError(url + ": the answer is not what it should be: " + error.what());
  }
}

}  // namespace

Github::Github(Web& web, const base::UpstreamConfig& config, std::filesystem::path cache)
    : web_(web),
      api_(config.github_api),
      token_(read_token(config.github_token_file)),
      cache_(std::move(cache)) {}

const std::vector<GithubRelease>& Github::releases(const std::string& repository) {
  const auto known = known_.find(repository);
  if (known != known_.end()) return known->second;
  if (limited_) throw QuotaExceeded(*limited_);
  try {
    return known_[repository] = ask(repository);
  } catch (const QuotaExceeded& limited) {
    limited_ = limited;
    throw;
  } catch (const NotFound&) {
    throw NotFound(api_ + " knows no public repository " + repository + " (404)");
  } catch (const MalformedAnswer& error) {
    throw FetchError(url_of(repository) +
                     ": the answer is not a list of releases: " + error.what());
  }
}

std::string Github::get(const std::string& url) {
  if (limited_) throw QuotaExceeded(*limited_);
  try {
    return web_.document(url, "", token_).body;
  } catch (const QuotaExceeded& limited) {
    limited_ = limited;
    throw;
  }
}

std::vector<GithubCommit> Github::commits(const std::string& repository,
                                          const CommitRequest& request) {
  std::string url = fmt::format("{}/commits?per_page={}", of_repository(api_, repository),
                                std::min<std::size_t>(request.most, 100));
  if (!request.from.empty()) url += "&sha=" + base::percent_encode(request.from);
  if (!request.path.empty()) url += "&path=" + base::percent_encode(request.path);
  if (request.since) {
    std::string time = domain::format_timestamp(*request.since) + "Z";
    time[time.find(' ')] = 'T';
    url += "&since=" + base::percent_encode(time);
  }
  std::vector<GithubCommit> commits = read_answer(url, get(url), read_commits);
  for (GithubCommit& commit : commits) commit.time = web_.not_later_than_now(commit.time);
  return commits;
}

std::vector<TaggedCommit> Github::tags(const std::string& repository) {
  const std::string url = of_repository(api_, repository) + "/tags?per_page=100";
  return read_answer(url, get(url), read_tags);
}

const GithubRepository& Github::repository(const std::string& name) {
  const auto known = repositories_.find(name);
  if (known != repositories_.end()) return known->second;
  const std::string url = of_repository(api_, name);
  return repositories_[name] = read_answer(url, get(url), read_repository);
}

// The second page of a comparison has no list of files, which may be megabytes.
bool Github::has_in_history(const std::string& repository, const std::string& commit,
                            const std::string& former) {
  const std::string url = of_repository(api_, repository) + "/compare/" +
                          base::percent_encode(former) + "..." + base::percent_encode(commit) +
                          "?per_page=1&page=2";
  try {
    return read_answer(url, get(url), read_is_ahead);
  } catch (const NotFound&) {
    return false;
  }
}

std::string Github::archive_url(const std::string& repository, const std::string& commit) const {
  return of_repository(api_, repository) + "/tarball/" + base::percent_encode(commit, "/");
}

std::string Github::url_of(const std::string& repository) const {
  return api_ + "/repos/" + repository + "/releases?per_page=100";
}

std::string Github::cache_file(const std::string& repository) {
  std::string name = repository;
  std::replace(name.begin(), name.end(), '/', '+');
  return name + ".json";
}

std::optional<std::filesystem::file_time_type> Github::last_asked(
    const std::string& repository) const {
  try {
    const base::UniqueFd file = base::HeldFolder(cache_).open(cache_file(repository));
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) return std::nullopt;
    const auto time = std::chrono::seconds(status.st_mtim.tv_sec) +
                      std::chrono::nanoseconds(status.st_mtim.tv_nsec);
    return std::chrono::file_clock::from_sys(std::chrono::sys_time<std::chrono::nanoseconds>(time));
  } catch (const base::FileError&) {
    return std::nullopt;
  }
}

void Github::mark_asked(const std::string& name) const {
  mirror::mark_asked(cache_, cache_file(name));
}

// A repository that fails is not to be asked about before all others each time.
std::vector<GithubRelease> Github::ask(const std::string& repository) {
  try {
    std::vector<GithubRelease> releases = fetch(repository);
    for (GithubRelease& each : releases) {
      each.published_at = web_.not_later_than_now(each.published_at);
    }
    mark_asked(repository);
    return releases;
  } catch (const QuotaExceeded&) {
    throw;
  } catch (const FetchError&) {
    mark_asked(repository);
    throw;
  } catch (const MalformedAnswer&) {
    mark_asked(repository);
    throw;
  }
}

// Where the first page is unchanged the others are taken to be: releases come to the front.
std::vector<GithubRelease> Github::fetch(const std::string& repository) {
  const std::string url = url_of(repository);
  const std::string file = cache_file(repository);
  CachedAnswer cached = load(cache_, file, url);
  Document first = web_.document(url, cached.etag, token_);
  if (!first.unchanged) {
    cached.etag = first.etag;
    cached.releases = fetch_pages(std::move(first), token_, web_);
    save(cache_, file, url, cached);
  }
  return read_releases(cached.releases);
}

}  // namespace goldsmith::mirror
