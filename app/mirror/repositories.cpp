#include "app/mirror/repositories.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::mirror {
namespace {

constexpr std::string_view kReleases = "releases";
constexpr std::string_view kTags = "tags";
constexpr std::size_t kMostSubjects = 20;

// The newest one by its number; "" if none of them is a version.
std::string newest_tag(const std::vector<std::string>& tags) {
  const auto number_of = [](std::string_view tag) {
    if (tag.size() > 1 && tag[0] == 'v' && domain::is_digit(tag[1])) tag.remove_prefix(1);
    return tag;
  };
  std::string newest;
  for (const std::string& tag : tags) {
    const std::string_view number = number_of(tag);
    if (number.empty() || !domain::is_digit(number[0])) continue;
    if (newest.empty() || domain::natural_order(number, number_of(newest)) > 0) newest = tag;
  }
  return newest;
}

}  // namespace

bool is_on_github(const domain::PluginUpstream& upstream) {
  return !upstream.repository.starts_with("https://");
}

Snapshot Repositories::of_commit(const domain::PluginUpstream& upstream, const std::string& from,
                                 const std::string& path) {
  const auto commits = github_.commits(upstream.repository, {from, path});
  if (commits.empty()) {
    throw NotFound("https://github.com/" + upstream.repository + " has no commit" +
                   (path.empty() ? "" : " that changed " + path));
  }
  const GithubCommit& commit = commits.front();
  return {commit.sha, "", commit.time, github_.archive_url(upstream.repository, commit.sha)};
}

Snapshot Repositories::newest(const domain::PluginUpstream& upstream) {
  if (!is_on_github(upstream)) return {"", "", std::nullopt, upstream.repository};
  if (upstream.releases == kReleases) {
    const std::vector<GithubRelease>& releases = github_.releases(upstream.repository);
    const auto release = std::find_if(releases.begin(), releases.end(),
                                      [](const auto& each) { return !each.prerelease; });
    if (release == releases.end()) {
      throw NotFound("https://github.com/" + upstream.repository +
                     " has no release; \"tags\" or \"commits\" may be what it has");
    }
    Snapshot snapshot = of_commit(upstream, release->tag, "");
    snapshot.release = release->tag;
    snapshot.time = release->published_at;
    snapshot.notes = release->notes;
    return snapshot;
  }
  if (upstream.releases == kTags) {
    std::string tag = newest_tag(github_.tags(upstream.repository));
    if (tag.empty()) {
      throw NotFound("https://github.com/" + upstream.repository +
                     " has no tag that is a version; \"commits\" may be what it has");
    }
    Snapshot snapshot = of_commit(upstream, tag, "");
    snapshot.release = std::move(tag);
    return snapshot;
  }
  return of_commit(upstream, upstream.branch, upstream.folder);
}

std::optional<GithubRepository> Repositories::identify(const domain::PluginUpstream& upstream) {
  if (!is_on_github(upstream)) return std::nullopt;
  return github_.repository(upstream.repository);
}

Download Repositories::download(const Snapshot& snapshot, const std::filesystem::path& file,
                                const OnProgress& on_progress) {
  DownloadRequest request{snapshot.url, file};
  if (!snapshot.commit.empty()) request.token = github_.token();
  return web_.download(request, on_progress);
}

bool Repositories::continues(const domain::PluginUpstream& upstream, const Snapshot& snapshot,
                             const std::string& former) {
  if (former.empty() || snapshot.commit.empty() || former == snapshot.commit) return true;
  return github_.has_in_history(upstream.repository, snapshot.commit, former);
}

std::vector<std::string> Repositories::subjects(const domain::PluginUpstream& upstream,
                                                const Snapshot& snapshot, const std::string& path,
                                                domain::Timestamp since) {
  if (snapshot.commit.empty()) return {};
  std::vector<std::string> subjects;
  for (GithubCommit& commit :
       github_.commits(upstream.repository, {snapshot.commit, path, since, kMostSubjects})) {
    if (commit.time > since && !commit.subject.empty()) {
      subjects.push_back(std::move(commit.subject));
    }
  }
  return subjects;
}

std::string list_of_changes(const std::vector<std::string>& subjects, std::size_t most) {
  constexpr std::string_view kMarks = "\\`*_{}[]()<>#+-.!|~&";
  std::string list;
  for (const std::string& subject : subjects) {
    std::string line = list.empty() ? "- " : "\n- ";
    for (const char c : subject) {
      if (kMarks.find(c) != kMarks.npos) line += '\\';
      line += c;
    }
    if (list.size() + line.size() > most) break;
    list += line;
  }
  return list;
}

}  // namespace goldsmith::mirror
