#include "app/start/pending_starts.hpp"

#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/creator/archive_digests.hpp"
#include "app/creator/recommended.hpp"
#include "app/directory/check_host.hpp"
#include "app/host/shared_file.hpp"
#include "app/start/background.hpp"
#include "app/start/planned_server.hpp"
#include "app/start/resolving.hpp"
#include "app/start/selection_query.hpp"
#include "app/start/summary.hpp"
#include "db/addon_store.hpp"

namespace goldsmith::start {
namespace {

constexpr const char* kUnavailable = "unavailable";
constexpr std::chrono::hours kRetriedAfter{24};

// What is kept of a start. What does not run of Metamod and the modules is among its messages.
db::BuildStart record_of(const Report& report, const std::optional<Report>& played,
                         domain::Timestamp now) {
  constexpr std::size_t kMostKept = 10;
  db::BuildStart record{std::string(name_of(report.outcome)), now, 0, 0, lines_of(report)};
  if (played) {
    const bool is_good = played->outcome == Report::Outcome::started;
    record.plays = is_good ? "plays" : "faulty";
    record.messages = lines_of(*played);
  }
  for (const LoadedPlugin& plugin : report.plugins) {
    ++(runs(plugin) ? record.plugins_running : record.plugins_faulty);
  }
  if (record.messages.size() > kMostKept) record.messages.resize(kMostKept);
  return record;
}

// Starts what was not started yet, and keeps the outcomes.
class PendingStarts {
 public:
  PendingStarts(const Host& host, const TellStarted& tell)
      : host_(host),
        tell_(tell),
        checker_(host.config, base::interruptible_sleep),
        builds_(checker_.server_builds(host.config)),
        records_(host.database),
        turns_(start_turns(host.config)) {}

  // The archives that this host keeps, the newest first: another host starts its own.
  void start_recorded() {
    for (const db::Build& build : records_.not_started(now() - kRetriedAfter)) {
      if (!builds_.archives().acquire(build.build_hash)) continue;
      host_.step("starting " + build.build_hash);
      start(build.selection, build.build_hash);
    }
  }

  // The recommended server, where it can be built, and every published pack.
  void start_offered() {
    const auto catalog = checker_.stock.catalog.catalog(0);
    if (!creator::recommended(*catalog).components.empty()) start("", "");
    for (const domain::AddonPack& pack : db::AddonStore(host_.database).list_all()) {
      if (pack.status != domain::Status::published) continue;
      std::vector<std::string> slugs;
      for (const domain::Slug& slug : pack.plugins) slugs.push_back(slug.str());
      start(creator::pack_query(slugs, pack.server), "");
    }
  }

  std::size_t count() const { return count_; }

 private:
  // `build_hash`: what the selection gave when it was recorded; "" = whatever it gives.
  void start(const std::string& selection, const std::string& build_hash) {
    base::check_interruption();
    std::string build = build_hash;  // "" = not known
    try {
      const auto resolved =
          resolve(request_of(selection), [&](const creator::SelectionRequest& request) {
            return builds_.resolve(request, checker_.gate.background_start_permit(),
                                   checker_.freshness.epoch());
          });
      const creator::Plan& plan = resolved->plan;
      if (!build_hash.empty() && build_hash != plan.build_hash) {
        throw Unbuildable("what it was made of has changed since");
      }
      if (was_tried(plan.build_hash)) return;
      build = plan.build_hash;
      // Before its turn, which others wait for: it may have to be compiled.
      const std::string player = find_player(plan);
      const host::TurnQueue::Turn turn = turns_.wait();
      if (was_tried(plan.build_hash)) return;  // meanwhile
      const base::UniqueFd zip = open_archive(plan, builds_);
      if (!records_.find(plan.build_hash)) record_archive(plan, zip);
      record(plan.build_hash, attempt(plan, zip, player));
    } catch (const Refused& refused) {
      // No cause for a day without a start, nor for others to wait.
      tell(selection, build, std::string("left to the next run: ") + refused.what());
    } catch (const Unbuildable& failure) {
      fail(selection, build, failure.what());
    } catch (const NotTried& cause) {
      fail(selection, build, cause.what());
    } catch (const archive::MissingDepotFile& missing) {
      fail(selection, build, missing.what());
    } catch (const archive::ZipError& damaged) {
      fail(selection, build, damaged.what());
    } catch (const compile::PluginGone& gone) {
      fail(selection, build, gone.what());
    }
  }

  // One that could not be tried is tried again a day later.
  bool was_tried(const std::string& build_hash) {
    const auto known = records_.find(build_hash);
    return known && known->start &&
           (known->start->outcome != kUnavailable || known->start->at >= now() - kRetriedAfter);
  }

  // What ends this process, too, was tried as well: it is not the first again in the next run.
  db::BuildStart attempt(const creator::Plan& plan, const base::UniqueFd& zip,
                         const std::string& player) {
    const auto note = [&](domain::Timestamp at) {
      records_.record_start(plan.build_hash,
                            {kUnavailable, at, 0, 0, {"goldsmith ended while it was started"}});
    };
    note(now());
    try {
      const Report report = start_archive(plan, zip, host_.config.start);
      note_standstill(host_, "");
      return record_of(report, play(plan, zip, report, player), now());
    } catch (const NotTried&) {
      throw;
    } catch (...) {
      note(now() - kRetriedAfter - std::chrono::seconds(1));
      throw;
    }
  }

  // "" if nobody can play there, which is told unless it has no platform.
  std::string find_player(const creator::Plan& plan) {
    if (creator::platform(plan.selection) == nullptr) return "";
    try {
      return player_for(plan, builds_, checker_.gate.background_start_permit());
    } catch (const Refused&) {
      throw;
    } catch (const Unbuildable& failure) {
      tell_unplayed(plan, failure.what());
      return "";
    }
  }

  // Absent also if the processor was busy with others.
  std::optional<Report> play(const creator::Plan& plan, const base::UniqueFd& zip,
                             const Report& started, const std::string& player) {
    try {
      return play_archive(plan, zip, started, player, host_.config.start);
    } catch (const NotTried& busy) {
      tell_unplayed(plan, busy.what());
      return std::nullopt;
    }
  }

  void tell_unplayed(const creator::Plan& plan, const std::string& cause) {
    host_.report(plan.build_hash + ": nobody plays there: " + cause);
  }

  // Nobody has downloaded it yet.
  void record_archive(const creator::Plan& plan, const base::UniqueFd& zip) {
    const std::string file = "/proc/self/fd/" + std::to_string(zip.get());
    records_.record({plan.build_hash, base::sha256_of_file(file), std::filesystem::file_size(file),
                     creator::archive_query(plan)},
                    now());
  }

  void record(const std::string& build_hash, const db::BuildStart& start) {
    records_.record_start(build_hash, start);
    ++count_;
    tell_(build_hash, start);
  }

  void tell(const std::string& selection, const std::string& build_hash, const std::string& what) {
    const std::string offered = selection.empty() ? "the recommended server" : selection;
    host_.report((build_hash.empty() ? offered : build_hash) + ": " + what);
  }

  void fail(const std::string& selection, const std::string& build_hash, const std::string& cause) {
    tell(selection, build_hash, cause);
    if (!build_hash.empty()) record(build_hash, {kUnavailable, now(), 0, 0, {cause}});
  }

  domain::Timestamp now() const { return host_.clock.seconds(); }

  const Host& host_;
  const TellStarted& tell_;
  directory::CheckHost checker_;
  creator::ServerBuilds builds_;
  db::BuildStore records_;
  host::TurnQueue turns_;
  std::size_t count_ = 0;
};

}  // namespace

std::optional<std::size_t> start_pending(const Host& host, const TellStarted& tell) {
  host::HostSemaphore starters(host.config.state.parent_path() / "digests");
  const auto turn = starters.try_acquire(creator::ArchiveDigests::kStarterRow, 1);
  if (!turn) return std::nullopt;
  PendingStarts pending(host, tell);
  try {
    pending.start_recorded();
    pending.start_offered();
  } catch (const Unavailable& unavailable) {
    note_standstill(host, unavailable.what());
    throw;
  }
  return pending.count();
}

}  // namespace goldsmith::start
