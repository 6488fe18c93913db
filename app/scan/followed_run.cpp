#include "app/scan/followed_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/scan/stored_upstreams.hpp"

namespace goldsmith::scan {
namespace {

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace

std::vector<FollowedRepository> repositories_of(const FollowedRepositories& followed,
                                                const std::optional<domain::Slug>& slug,
                                                const Host& host) {
  const auto upstreams = host.plugins().upstreams();
  std::vector<FollowedRepository> all;
  for (FollowedRepository& each : followed.list()) {
    const bool is_named = !each.slugs.empty();
    each.slugs.clear();
    for (const auto& [plugin, upstream] : upstreams) {
      if (is_named && domain::is_same_place(upstream, each.upstream)) {
        each.slugs.push_back(plugin.str());
      }
    }
    // What a manifest named once, and none does now, is not followed.
    if (!is_named || !each.slugs.empty()) all.push_back(std::move(each));
  }
  std::vector<FollowedRepository> named;
  for (const auto& [plugin, upstream] : upstreams) {
    const auto comes_from_there = [&](const FollowedRepository& each) {
      return domain::is_same_place(each.upstream, upstream);
    };
    if (std::any_of(all.begin(), all.end(), comes_from_there)) continue;
    auto known = std::find_if(named.begin(), named.end(), comes_from_there);
    if (known == named.end()) {
      known = named.emplace(named.end());
      known->upstream = upstream;
      known->upstream.forget_findings();
    }
    known->slugs.push_back(plugin.str());
  }
  all.insert(all.begin(), std::make_move_iterator(named.begin()),
             std::make_move_iterator(named.end()));
  if (!slug) return all;
  std::erase_if(all, [&](const FollowedRepository& each) {
    if (has(each.slugs, slug->str())) return false;
    if (each.folder.empty()) return true;
    return !ScanRecord(followed.folder_of(each.folder)).is_imported(slug->str());
  });
  return all;
}

// A plugin keeps the place that it came from first: another part of the repository may be followed
// by now.
std::vector<std::string> forget_upstream(const FollowedRepository& repository,
                                         const FollowedRepositories& followed, const Host& host) {
  const ScanRecord record =
      repository.folder.empty() ? ScanRecord() : ScanRecord(followed.folder_of(repository.folder));
  std::vector<domain::PluginUpstream> others;
  for (const FollowedRepository& each : followed.list()) {
    if (each.folder != repository.folder) others.push_back(each.upstream);
  }
  const domain::PluginUpstream& place = repository.upstream;
  return edit_upstreams(host, [&](const std::string& slug, domain::PluginUpstream& upstream) {
    const bool was_taken = record.is_imported(slug) &&
                           domain::is_same_repository(upstream.repository, place.repository);
    const auto is_there = [&](const auto& other) { return is_same_place(other, upstream); };
    if (!was_taken && !domain::is_same_place(upstream, place)) return false;
    if (std::ranges::any_of(others, is_there)) return false;
    upstream = {};
    return true;
  });
}

void FollowedRun::mirror(FollowedRepository repository, bool is_new, PluginMirroring& mirroring,
                         const PluginMirroring::Request& request) {
  const std::optional<domain::Timestamp> tried_before = repository.asked_at;
  repository.asked_at = host_.now();
  if (!is_new) followed_.save(repository);
  const auto note = [&] {
    if (!is_new) {
      followed_.save(repository);
    } else {
      followed_.remove(repository);
    }
  };
  try {
    try_to_mirror(repository, mirroring, request);
  } catch (const base::Interrupted&) {
    if (is_new) followed_.remove(repository);
    throw;
  } catch (const mirror::QuotaExceeded&) {
    repository.asked_at = tried_before;  // nobody was asked
    note();
    throw;
  } catch (const std::exception& failure) {
    const bool is_gone = dynamic_cast<const mirror::NotFound*>(&failure) != nullptr;
    const bool is_lasting = is_gone || dynamic_cast<const Failure*>(&failure) != nullptr;
    repository.problem = base::one_line(failure.what());
    if (is_lasting) note_lasting(repository, is_gone);
    note();
    if (!is_lasting || failures_ == Failures::end || !repository.is_known_to_fail()) throw;
  }
}

void FollowedRun::try_to_mirror(FollowedRepository& repository, PluginMirroring& mirroring,
                                const PluginMirroring::Request& request) {
  PluginMirroring::Request with = request;
  with.again = request.again || repository.is_known_to_fail();  // its plugins are not gone any more
  const MirrorReport report = mirroring.mirror(repository, followed_, with);
  if (report.other) return merge(repository, *report.other);
  repository.problem.clear();
  repository.failed_runs = 0;
  repository.failing_since.reset();
  followed_.save(repository);
  tell_(repository, report);
}

// What manifests alone name belongs to the one that is followed. Of two that a person follows one
// is left alone: its answers are that person's.
void FollowedRun::merge(FollowedRepository& repository, const FollowedRepository& other) {
  const std::string text = "it is " + other.title() + ", which is followed, too";
  tell_ended(repository, {MirrorEvent::Kind::same, repository.title(), "", {text}});
  if (repository.slugs.empty()) {
    repository.problem = text + "; \"goldsmith plugin unfollow\" ends one of them";
    return followed_.save(repository);
  }
  edit_upstreams(host_, [&](const std::string& slug, domain::PluginUpstream& upstream) {
    if (!has(repository.slugs, slug)) return false;
    upstream = other.upstream;
    return true;
  });
  followed_.remove(repository);
}

// What is not there, or refused, for so many runs will be so in the next ones, too: it is told by
// the list of what is followed and by doctor.
void FollowedRun::note_lasting(FollowedRepository& repository, bool is_gone) {
  if (failures_ == Failures::end) return;  // a person asked, and is told
  ++repository.failed_runs;
  if (!repository.failing_since) repository.failing_since = host_.now();
  if (!repository.is_known_to_fail()) return;
  std::vector<MirrorEvent> plugins;
  if (is_gone) {
    for (std::string& slug : mark_all_gone(host_, repository.upstream)) {
      plugins.push_back({MirrorEvent::Kind::gone, std::move(slug), "", {}});
    }
  }
  tell_ended(repository,
             {is_gone ? MirrorEvent::Kind::gone : MirrorEvent::Kind::fails,
              repository.title() + " since " + domain::format_timestamp(repository.failing_since),
              "",
              {repository.problem}},
             std::move(plugins));
}

void FollowedRun::tell_ended(const FollowedRepository& repository, MirrorEvent why,
                             std::vector<MirrorEvent> plugins) const {
  MirrorReport report;
  report.is_mirrored = false;
  report.events = std::move(plugins);
  report.events.push_back(std::move(why));
  tell_(repository, report);
}

void FollowedRun::visit(const FollowedRepository& repository, const std::function<void()>& what) {
  try {
    what();
  } catch (const base::Interrupted&) {
    throw;
  } catch (const mirror::QuotaExceeded& limited) {
    if (not_asked_++ == 0) host_.progress.report(limited.what());
    quota_end_ = limited.until();
  } catch (const std::exception& failure) {
    if (count_ == 1) throw;
    host_.progress.report(repository.title() + ": " + failure.what());
    ++failed_;
  }
}

void FollowedRun::finish() const {
  std::string text;
  if (failed_ > 0) {
    text = fmt::format("{} of {} repositories could not be mirrored", failed_, count_);
  }
  if (not_asked_ > 0) {
    text += fmt::format(
        "{}{} of {} repositories were not asked about: run it again after {} UTC, and it begins "
        "with them",
        text.empty() ? "" : "; ", not_asked_, count_, domain::format_timestamp(quota_end_));
  }
  if (!text.empty()) throw Failure(text);
}

}  // namespace goldsmith::scan
