// Answers of GitHub and of other upstreams: releases, cached ones, commits, tags, and headers.
#include "app/mirror/github.hpp"

#include <algorithm>

#include "app/mirror/repositories.hpp"
#include "app/mirror/transport.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

const domain::Timestamp kNow(std::chrono::seconds(1'700'000'000));

void check_releases(const std::vector<mirror::GithubRelease>& releases) {
  require(std::is_sorted(releases.begin(), releases.end(),
                         [](const auto& left, const auto& right) {
                           return left.published_at > right.published_at;
                         }),
          "the newest release is first");
  for (const mirror::GithubRelease& release : releases) {
    require(!release.version || release.tag.ends_with(release.version->view()),
            "a version is that of the tag");
  }
}

void check_page(std::string_view body) {
  json::Array page;
  if (fuzz::throws<mirror::MalformedAnswer>([&] { page = mirror::read_page(body); })) return;
  std::size_t count = 0;
  const bool is_malformed = fuzz::throws<mirror::MalformedAnswer>([&] {
    const auto releases = mirror::read_releases(page);
    check_releases(releases);
    count = releases.size();
  });
  const auto cached = mirror::read_cached(mirror::cached_text("u", {"e", page}), "u");
  require(cached.etag.empty() == is_malformed, "what is kept is read again");
  require(is_malformed || mirror::read_releases(cached.releases).size() == count, "all of it");
}

void check_commits(std::string_view body) {
  fuzz::throws<mirror::MalformedAnswer>([&] {
    for (const mirror::GithubCommit& commit : mirror::read_commits(body)) {
      require(commit.sha.size() == 40 || commit.sha.size() == 64, "a commit has its digest");
      require(commit.subject.find('\n') == std::string::npos, "a subject is a line");
      const std::string list = mirror::list_of_changes({commit.subject}, 1000);
      require(list.empty() || list.starts_with("- "), "and becomes an entry of a list");
    }
  });
  fuzz::throws<mirror::MalformedAnswer>([&] { static_cast<void>(mirror::read_tags(body)); });
  fuzz::throws<mirror::MalformedAnswer>([&] { static_cast<void>(mirror::read_is_ahead(body)); });
  fuzz::throws<mirror::MalformedAnswer>([&] {
    const mirror::GithubRepository repository = mirror::read_repository(body);
    require(domain::is_github_repository(repository.name), "a repository has a name");
    require(repository.number > 0 && repository.owner > 0, "and numbers");
  });
}

// A header a line, "NAME: VALUE".
mirror::HttpAnswer answer_of(std::string_view lines) {
  mirror::HttpAnswer answer;
  answer.status = 403;
  while (!lines.empty()) {
    std::string_view value = fuzz::take_until(lines, '\n');
    const std::string name(fuzz::take_until(value, ':'));
    if (value.starts_with(' ')) value.remove_prefix(1);
    answer.headers.insert_or_assign(name, std::string(value));
  }
  return answer;
}

void check_headers(const mirror::HttpAnswer& answer) {
  const auto wait = mirror::asked_wait(answer, kNow);
  require(!wait || (wait->count() >= 0 && wait->count() <= 86'400), "a wait is at most a day");
  const auto end = mirror::quota_end(answer, kNow);
  require(!end || domain::format_timestamp(*end).size() == 19, "a time can be shown");
  const std::string url = "https://api.example/x";
  fuzz::throws<mirror::FetchError>([&] {
    const std::string next = mirror::next_page(answer, url);
    require(next.empty() || mirror::origin_of(next) == "https://api.example",
            "the next page is on the same server");
  });
}

}  // namespace

FUZZ_TARGET(github, "app/mirror/github.cpp app/mirror/transport.cpp") {
  const std::string_view headers = fuzz::take_until(input, '\x1E');
  check_headers(answer_of(headers));
  check_page(input);
  check_commits(input);
  static_cast<void>(mirror::read_cached(input, "u"));
}
