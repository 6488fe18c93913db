#include "app/mirror/repositories.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::mirror {
namespace {

constexpr std::string_view kReleases = "releases";
constexpr std::string_view kTags = "tags";
constexpr std::size_t kMostSubjects = 20;

std::string digest_of(const std::vector<std::string>& names) {
  return base::sha256_hex(base::join(names, "\n"));
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

Newest Repositories::newest(const domain::PluginUpstream& upstream, const KnownTags& known) {
  if (!is_on_github(upstream)) return {{"", "", std::nullopt, upstream.repository}};
  if (upstream.releases == kReleases) return of_releases(upstream, known);
  if (upstream.releases == kTags) return of_tags(upstream, known);
  return {of_commit(upstream, upstream.branch, upstream.folder)};
}

// Where none has a number the newest one is what counts.
Newest Repositories::of_releases(const domain::PluginUpstream& upstream, const KnownTags& known) {
  const std::vector<GithubRelease>& releases = github_.releases(upstream.repository);
  std::vector<TagCandidate> candidates;
  std::vector<std::string> names;
  for (const GithubRelease& each : releases) {
    candidates.push_back({each.tag, each.prerelease});
    names.push_back(each.tag + (each.prerelease ? " *" : ""));
  }
  const auto last = std::find_if(releases.begin(), releases.end(),
                                 [](const auto& each) { return !each.prerelease; });
  if (last == releases.end()) {
    throw NotFound("https://github.com/" + upstream.repository +
                   " has no release; \"tags\" or \"commits\" may be what it has");
  }
  TagChoice choice = choose_tag(std::move(candidates), known.published, clock_.seconds());
  if (choice.tag.empty() || !domain::has_number(last->tag)) choice = {last->tag, {}};
  const auto snapshot_of = [&](const std::string& tag) {
    const auto release = std::find_if(releases.begin(), releases.end(),
                                      [&](const auto& each) { return each.tag == tag; });
    Snapshot snapshot = of_commit(upstream, tag, "");
    snapshot.release = tag;
    snapshot.time = release->published_at;
    snapshot.notes = release->notes;
    return snapshot;
  };
  Newest newest{snapshot_of(choice.tag), {}, digest_of(names), ""};
  for (const WaitingTag& each : choice.waiting) {
    newest.waiting.push_back({snapshot_of(each.tag), each.why});
  }
  if (domain::version_rank(last->tag, choice.tag) < 0) {
    newest.remark =
        "the release " + last->tag + " is newer than " + choice.tag + ", but has a lower number";
  }
  return newest;
}

Newest Repositories::of_tags(const domain::PluginUpstream& upstream, const KnownTags& known) {
  const std::vector<TaggedCommit> tags = github_.tags(upstream.repository);
  std::vector<TagCandidate> candidates;
  std::vector<std::string> names;
  for (const TaggedCommit& each : tags) {
    candidates.push_back({each.tag});
    names.push_back(each.tag + " " + each.commit);
  }
  const TagChoice choice = choose_tag(std::move(candidates), known.published, clock_.seconds());
  if (choice.tag.empty()) {
    throw NotFound("https://github.com/" + upstream.repository +
                   " has no tag that is a version; \"commits\" may be what it has");
  }
  const auto snapshot_of = [&](const std::string& tag) {
    Snapshot snapshot = of_commit(upstream, tag, "");
    snapshot.release = tag;
    return snapshot;
  };
  Newest newest{snapshot_of(choice.tag), {}, digest_of(names), std::nullopt};
  for (const WaitingTag& each : choice.waiting) {
    newest.waiting.push_back({snapshot_of(each.tag), each.why});
  }
  if (newest.digest != known.digest) newest.remark = tagged_later(upstream, tags, choice.tag);
  return newest;
}

// Of the default branch: what is tagged on others may well be for those who stay with them.
std::string Repositories::tagged_later(const domain::PluginUpstream& upstream,
                                       const std::vector<TaggedCommit>& tags,
                                       const std::string& highest) {
  constexpr std::size_t kMostCommits = 100;
  for (const GithubCommit& commit :
       github_.commits(upstream.repository, {"", "", std::nullopt, kMostCommits})) {
    for (const TaggedCommit& each : tags) {
      if (each.commit != commit.sha || !domain::has_number(each.tag)) continue;
      if (domain::version_rank(each.tag, highest) >= 0) return "";
      return "the tag " + each.tag + " is on a newer commit than " + highest +
             ", but has a lower number";
    }
  }
  return "";
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
