#include "app/mirror/github.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::mirror {

namespace {

constexpr int kMaxPages = 20;                  // of 100 releases; what is older is not looked at
constexpr std::uint64_t kMaxTokenSize = 4096;  // bytes of its file

// A missing or unusable file counts as an empty cache.
CachedAnswer load(const std::filesystem::path& file, const std::string& url) {
  try {
    return read_cached(base::read_file(file), url);
  } catch (const base::FileError&) {
    return {};
  }
}

void save(const std::filesystem::path& file, const std::string& url, const CachedAnswer& cached) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  try {
    base::write_atomically(file, cached_text(url, cached));
  } catch (const base::FileError&) {
    // The next call then transfers the whole answer again.
  }
}

// The age of the file is the time since; one that holds no answer is made where there is none.
void mark_asked(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  const base::UniqueFd fd(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (fd) ::futimens(fd.get(), nullptr);  // without it the next call asks about it earlier
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

namespace {

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
  return read_answer(url, get(url), read_commits);
}

std::vector<std::string> Github::tags(const std::string& repository) {
  const std::string url = of_repository(api_, repository) + "/tags?per_page=100";
  return read_answer(url, get(url), read_tags);
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

std::filesystem::path Github::cache_file(const std::string& repository) const {
  std::string name = repository;
  std::replace(name.begin(), name.end(), '/', '+');
  return cache_ / (name + ".json");
}

std::optional<std::filesystem::file_time_type> Github::last_asked(
    const std::string& repository) const {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(cache_file(repository), error);
  return error ? std::nullopt : std::optional(time);
}

// A repository that fails is not to be asked about before all others each time.
std::vector<GithubRelease> Github::ask(const std::string& repository) {
  try {
    std::vector<GithubRelease> releases = fetch(repository);
    mark_asked(cache_file(repository));
    return releases;
  } catch (const QuotaExceeded&) {
    throw;
  } catch (const FetchError&) {
    mark_asked(cache_file(repository));
    throw;
  } catch (const MalformedAnswer&) {
    mark_asked(cache_file(repository));
    throw;
  }
}

// Where the first page is unchanged the others are taken to be: releases come to the front.
std::vector<GithubRelease> Github::fetch(const std::string& repository) {
  const std::string url = url_of(repository);
  const std::filesystem::path file = cache_file(repository);
  CachedAnswer cached = load(file, url);
  Document first = web_.document(url, cached.etag, token_);
  if (!first.unchanged) {
    cached.etag = first.etag;
    cached.releases = fetch_pages(std::move(first), token_, web_);
    save(file, url, cached);
  }
  return read_releases(cached.releases);
}

namespace {

// What is read of a release and of an asset, and all that is kept of an answer.
constexpr std::string_view kReleaseFields[] = {"tag_name", "published_at", "draft", "prerelease",
                                               "body"};
constexpr std::string_view kAssetFields[] = {
    "name", "browser_download_url", "size", "digest", "state", "updated_at"};

[[noreturn]] void refuse(const std::string& why) { throw MalformedAnswer(why); }

// Null when there is no such member.
const json::Value& member(const json::Object& object, std::string_view name) {
  static const json::Value null;
  const auto found = object.find(name);
  return found == object.end() ? null : found->second;
}

const json::Object& object_of(const json::Value& value) {
  if (const json::Object* object = value.as_object()) return *object;
  refuse("it contains something other than objects");
}

const json::Array& assets_of(const json::Object& release) {
  if (const json::Array* assets = member(release, "assets").as_array()) return *assets;
  refuse("a release lacks its assets");
}

std::string text_of(const json::Object& object, std::string_view name) {
  if (const std::string* text = member(object, name).as_string()) return *text;
  refuse("\"" + std::string(name) + "\" is missing");
}

std::string text_or_empty(const json::Object& object, std::string_view name) {
  const std::string* text = member(object, name).as_string();
  return text ? *text : "";
}

bool is_set(const json::Object& object, std::string_view name) {
  const bool* value = member(object, name).as_bool();
  return value && *value;
}

std::optional<domain::Version> version_of(std::string_view tag) {
  if (tag.size() > 1 && tag[0] == 'v' && domain::is_digit(tag[1])) tag.remove_prefix(1);
  return domain::Version::parse(tag);
}

GithubAsset read_asset(const json::Object& object) {
  GithubAsset asset;
  asset.name = text_of(object, "name");
  asset.url = text_of(object, "browser_download_url");
  asset.updated_at = text_or_empty(object, "updated_at");
  const std::int64_t* size = member(object, "size").as_integer();
  if (!size || *size < 0) refuse("an asset lacks its size");
  asset.size = static_cast<std::uint64_t>(*size);
  const std::string digest = text_or_empty(object, "digest");
  constexpr std::string_view kSha256 = "sha256:";
  if (digest.starts_with(kSha256)) asset.sha256 = digest.substr(kSha256.size());
  return asset;
}

// Whether a byte of UTF-8 is or ends a control character other than a line feed and a tab.
bool is_control_byte(char before, char byte) {
  const auto value = static_cast<unsigned char>(byte);
  const bool is_c1 = before == '\xC2' && value >= 0x80 && value < 0xA0;
  return is_c1 || value == 0x7F || (value < ' ' && byte != '\n' && byte != '\t');
}

// Anybody may write anything there.
std::string clean_notes(std::string_view text) {
  std::string notes;
  for (const char byte : base::first_bytes(text, kMostNotes)) {
    const char before = notes.empty() ? '\0' : notes.back();
    if (!is_control_byte(before, byte)) {
      notes += byte;
    } else if (before == '\xC2') {
      notes.pop_back();  // the first byte of it
    }
  }
  return std::string(base::trim(notes));
}

GithubRelease read_release(const json::Object& object) {
  GithubRelease release;
  release.tag = text_of(object, "tag_name");
  release.version = version_of(release.tag);
  const auto time = domain::parse_timestamp(text_of(object, "published_at"));
  if (!time) refuse("a release has no time of publication");
  release.published_at = *time;
  release.prerelease = is_set(object, "prerelease");
  release.notes = clean_notes(text_or_empty(object, "body"));
  for (const json::Value& value : assets_of(object)) {
    const json::Object& asset = object_of(value);
    // One that is still being uploaded has nothing to download.
    const std::string state = text_or_empty(asset, "state");
    if (state.empty() || state == "uploaded") release.assets.push_back(read_asset(asset));
  }
  return release;
}

template <std::size_t Count>
json::Object reduced(const json::Object& object, const std::string_view (&fields)[Count]) {
  json::Object reduced_object;
  for (const std::string_view field : fields) {
    const auto found = object.find(field);
    if (found != object.end()) reduced_object.insert(*found);
  }
  return reduced_object;
}

json::Object reduced_release(const json::Object& release) {
  json::Array assets;
  for (const json::Value& asset : assets_of(release)) {
    assets.emplace_back(reduced(object_of(asset), kAssetFields));
  }
  json::Object reduced_object = reduced(release, kReleaseFields);
  if (const std::string* text = member(release, "body").as_string()) {
    reduced_object["body"] = clean_notes(*text);
  }
  reduced_object.emplace("assets", std::move(assets));
  return reduced_object;
}

json::Array parse_array(std::string_view body) {
  try {
    const json::Value value = json::parse(body);
    if (const json::Array* array = value.as_array()) return *array;
  } catch (const json::ParseError& error) {
    refuse(std::string("it is not valid JSON: ") + error.what());
  }
  refuse("it is not an array");
}

}  // namespace

json::Array read_page(std::string_view body) {
  json::Array releases;
  for (const json::Value& release : parse_array(body)) {
    releases.emplace_back(reduced_release(object_of(release)));
  }
  return releases;
}

namespace {

GithubCommit read_commit(const json::Object& object) {
  constexpr std::size_t kLongestSubject = 200;
  GithubCommit commit{text_of(object, "sha"), {}, ""};
  const bool is_digest = (commit.sha.size() == 40 || commit.sha.size() == 64) &&
                         std::all_of(commit.sha.begin(), commit.sha.end(), [](char c) {
                           return domain::is_digit(c) || (c >= 'a' && c <= 'f');
                         });
  if (!is_digest) refuse("the digest of a commit is none");
  const json::Object& told = object_of(member(object, "commit"));
  const auto time = domain::parse_timestamp(text_of(object_of(member(told, "committer")), "date"));
  if (!time) refuse("a commit has no time");
  commit.time = *time;
  const std::string message = clean_notes(text_or_empty(told, "message"));
  commit.subject = base::trim(
      base::first_bytes(std::string_view(message).substr(0, message.find('\n')), kLongestSubject));
  return commit;
}

}  // namespace

std::vector<GithubCommit> read_commits(std::string_view body) {
  std::vector<GithubCommit> commits;
  for (const json::Value& value : parse_array(body)) {
    commits.push_back(read_commit(object_of(value)));
  }
  return commits;
}

std::vector<std::string> read_tags(std::string_view body) {
  std::vector<std::string> tags;
  for (const json::Value& value : parse_array(body)) {
    tags.push_back(text_of(object_of(value), "name"));
  }
  return tags;
}

bool read_is_ahead(std::string_view body) {
  try {
    const json::Value value = json::parse(body);
    const std::string status = text_of(object_of(value), "status");
    return status == "ahead" || status == "identical";
  } catch (const json::ParseError& error) {
    refuse(std::string("it is not valid JSON: ") + error.what());
  }
}

std::vector<GithubRelease> read_releases(const json::Array& array) {
  std::vector<GithubRelease> releases;
  for (const json::Value& value : array) {
    const json::Object& object = object_of(value);
    if (!is_set(object, "draft")) releases.push_back(read_release(object));
  }
  std::sort(releases.begin(), releases.end(), [](const auto& left, const auto& right) {
    if (left.published_at != right.published_at) return left.published_at > right.published_at;
    return domain::natural_order(left.tag, right.tag) > 0;
  });
  return releases;
}

std::string cached_text(const std::string& url, const CachedAnswer& cached) {
  return json::to_string(
      json::Object{{"url", url}, {"etag", cached.etag}, {"releases", cached.releases}});
}

CachedAnswer read_cached(std::string_view text, std::string_view url) {
  try {
    const json::Value value = json::parse(text);
    const json::Object& object = object_of(value);
    const json::Array* releases = member(object, "releases").as_array();
    if (text_of(object, "url") != url || !releases) return {};
    static_cast<void>(read_releases(*releases));
    return {text_of(object, "etag"), *releases};
  } catch (const json::ParseError&) {
  } catch (const MalformedAnswer&) {
  }
  return {};
}

}  // namespace goldsmith::mirror
