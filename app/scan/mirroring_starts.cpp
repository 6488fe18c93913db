#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "app/base/interruption.hpp"
#include "app/directory/check_host.hpp"
#include "app/scan/mirroring.hpp"
#include "app/start/plugin_starts.hpp"

namespace goldsmith::scan {
namespace {

// Where the former version was tried: that this one was not, or does not run as that one does.
// `lines`: with which servers can be started. Whether it was tried everywhere goes to `is_tried`.
std::vector<Reason> start_reasons(const db::CheckableVersion& former,
                                  const db::CheckableVersion& added,
                                  const std::set<std::string>& lines, bool& is_tried) {
  using Result = domain::StartVerdict::Result;
  std::vector<Reason> all;
  for (const domain::StartVerdict& ran : former.starts) {
    if (ran.result == Result::refused || !lines.contains(ran.toolchain)) continue;
    const auto runs =
        std::ranges::find(added.starts, ran.toolchain, &domain::StartVerdict::toolchain);
    if (runs == added.starts.end()) {
      is_tried = false;
      all.emplace_back(Reason::Kind::not_started,
                       fmt::format("it was not started with {} yet, as {} was", ran.toolchain,
                                   former.version.view()));
      continue;
    }
    if (ran.result != Result::runs || runs->result == Result::runs) continue;
    all.emplace_back(
        Reason::Kind::start,
        fmt::format("it does not run with {}, as {} does{}", ran.toolchain, former.version.view(),
                    runs->messages.empty() ? "" : ": " + runs->messages.front()));
  }
  return all;
}

}  // namespace

bool PluginMirroring::start(Works& works, bool needs_former) {
  struct Pair {
    AddedVersion* added;
    std::optional<std::size_t> former;  // places among the versions
    std::size_t version;
  };
  const auto is_started = [&](const Work& work, const AddedVersion& added) {
    return !needs_former || (work.mirrored->former() && added.reasons.empty());
  };
  const bool is_any = std::any_of(works.begin(), works.end(), [&](const Work& work) {
    return std::ranges::any_of(std::as_const(*work.mirrored).added(),
                               [&](const auto& added) { return is_started(work, added); });
  });
  if (!is_any) return true;
  db::PluginStore store(host_.database(), db::Drafts::found);
  std::vector<db::CheckableVersion> versions;
  std::vector<Pair> pairs;
  const auto take = [&](const domain::Slug& slug, const domain::Version& version) {
    const auto found = store.find_head(slug, version);
    if (!found) return false;
    versions.push_back(
        {found->version.id, slug, version, found->version.verdicts, found->version.starts});
    return true;
  };
  for (Work& work : works) {
    const std::optional<domain::Version>& former = work.mirrored->former();
    for (AddedVersion& added : work.mirrored->added()) {
      if (!is_started(work, added)) continue;
      Pair pair{&added, std::nullopt, 0};
      if (former && take(work.scanned->slug, *former)) pair.former = versions.size() - 1;
      if (!take(work.scanned->slug, added.version)) continue;
      pair.version = versions.size() - 1;
      pairs.push_back(pair);
    }
  }
  if (pairs.empty()) return true;
  std::string cause;
  std::set<std::string> lines;
  try {
    directory::CheckHost checker(host_.config, base::interruptible_sleep, db::Drafts::found);
    start::PluginStarts starts(checker, host_.starts());
    lines = starts.lines();
    for (const start::StartedVersion& started :
         starts.start(versions, false, [&](std::size_t done, std::size_t total) {
           host_.progress.show_count("starts done", done, total);
         })) {
      auto& version = versions[static_cast<std::size_t>(started.version - versions.data())];
      std::erase_if(version.starts,
                    [&](const auto& each) { return each.toolchain == started.verdict.toolchain; });
      version.starts.push_back(started.verdict);
    }
  } catch (const start::Unavailable& unavailable) {
    cause = std::string("no plugin was started: ") + unavailable.what();
  }
  bool is_tried = true;
  for (const Pair& pair : pairs) {
    pair.added->starts = versions[pair.version].starts;
    if (!pair.former) continue;
    for (Reason& each :
         start_reasons(versions[*pair.former], versions[pair.version], lines, is_tried)) {
      pair.added->reasons.push_back(std::move(each));
    }
  }
  if (!is_tried && !cause.empty()) host_.progress.report(cause);
  return is_tried;
}

}  // namespace goldsmith::scan
