#include "app/mirror/github.hpp"

#include <algorithm>
#include <string_view>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::mirror {
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

// Anybody may write anything there (decision R15).
std::string clean_notes(std::string_view text) {
  return std::string(base::trim(base::first_bytes(base::only_printable(text), kMostNotes)));
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

json::Value parse_document(std::string_view body) {
  try {
    return json::parse(body);
  } catch (const json::ParseError& error) {
    refuse(std::string("it is not valid JSON: ") + error.what());
  }
}

json::Array parse_array(std::string_view body) {
  const json::Value value = parse_document(body);
  if (const json::Array* array = value.as_array()) return *array;
  refuse("it is not an array");
}

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

std::int64_t number_of(const json::Object& object, std::string_view name) {
  const std::int64_t* number = member(object, name).as_integer();
  if (number && *number > 0) return *number;
  refuse("\"" + std::string(name) + "\" is no number");
}

}  // namespace

json::Array read_page(std::string_view body) {
  json::Array releases;
  for (const json::Value& release : parse_array(body)) {
    releases.emplace_back(reduced_release(object_of(release)));
  }
  return releases;
}

std::vector<GithubCommit> read_commits(std::string_view body) {
  std::vector<GithubCommit> commits;
  for (const json::Value& value : parse_array(body)) {
    commits.push_back(read_commit(object_of(value)));
  }
  return commits;
}

std::vector<TaggedCommit> read_tags(std::string_view body) {
  std::vector<TaggedCommit> tags;
  for (const json::Value& value : parse_array(body)) {
    const json::Object& object = object_of(value);
    TaggedCommit tagged{text_of(object, "name"), ""};
    if (const json::Object* commit = member(object, "commit").as_object()) {
      tagged.commit = text_or_empty(*commit, "sha");
    }
    if (base::is_printable(tagged.tag)) tags.push_back(std::move(tagged));
  }
  return tags;
}

bool read_is_ahead(std::string_view body) {
  const json::Value value = parse_document(body);
  const std::string status = text_of(object_of(value), "status");
  return status == "ahead" || status == "identical";
}

GithubRepository read_repository(std::string_view body) {
  const json::Value value = parse_document(body);
  const json::Object& object = object_of(value);
  GithubRepository repository;
  repository.name = text_of(object, "full_name");
  if (!domain::is_github_repository(repository.name)) refuse("its name is none");
  repository.number = number_of(object, "id");
  repository.owner = number_of(object_of(member(object, "owner")), "id");
  return repository;
}

std::vector<GithubRelease> read_releases(const json::Array& array) {
  std::vector<GithubRelease> releases;
  for (const json::Value& value : array) {
    const json::Object& object = object_of(value);
    const bool is_told =
        !is_set(object, "draft") && base::is_printable(text_of(object, "tag_name"));
    if (is_told) releases.push_back(read_release(object));
  }
  std::sort(releases.begin(), releases.end(), [](const auto& left, const auto& right) {
    if (left.published_at != right.published_at) return left.published_at > right.published_at;
    return domain::version_order(left.tag, right.tag) > 0;
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
