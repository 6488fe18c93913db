#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/cli/commands/plugin_check.hpp"
#include "app/cli/commands/starts.hpp"
#include "app/cli/output.hpp"
#include "app/creator/archive_digests.hpp"
#include "app/creator/recommended.hpp"
#include "app/host/account.hpp"
#include "app/host/shared_file.hpp"
#include "db/download_log.hpp"

namespace goldsmith::cli {
namespace {

constexpr const char* kUnavailable = "unavailable";
constexpr std::chrono::hours kRetriedAfter{24};

// What is kept of a start. What does not run of Metamod and the modules is among its messages.
db::BuildStart record_of(const start::Report& report, const std::optional<start::Report>& played,
                         domain::Timestamp now) {
  constexpr std::size_t kMostKept = 10;
  db::BuildStart record{std::string(cli::name_of(report.outcome)), now, 0, 0,
                        cli::lines_of(report)};
  if (played) {
    const bool is_good = played->outcome == start::Report::Outcome::started;
    record.plays = is_good ? "plays" : "faulty";
    record.messages = cli::lines_of(*played);
  }
  for (const start::LoadedPlugin& plugin : report.plugins) {
    ++(start::runs(plugin) ? record.plugins_running : record.plugins_faulty);
  }
  if (record.messages.size() > kMostKept) record.messages.resize(kMostKept);
  return record;
}

// Starts what was not started yet, and keeps the outcomes.
class PendingStarts {
 public:
  explicit PendingStarts(Context& context)
      : context_(context),
        host_(context.config(), base::interruptible_sleep),
        builds_(server_builds(host_, context.config())),
        records_(context.database()),
        turns_(start_turns(context.config())) {}

  // The archives that this host keeps, the newest first: another host starts its own.
  void start_recorded() {
    for (const db::Build& build : records_.not_started(context_.now() - kRetriedAfter)) {
      if (!builds_.archives().acquire(build.build_hash)) continue;
      context_.progress("starting " + build.build_hash);
      start(build.selection, build.build_hash);
    }
  }

  // The recommended server, where it can be built, and every published pack.
  void start_offered() {
    const auto catalog = host_.stock.catalog.catalog(0);
    if (!creator::recommended(*catalog).components.empty()) start("", "");
    for (const domain::AddonPack& pack : context_.addons().list_all()) {
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
            return builds_.resolve(request, host_.gate.background_start_permit(),
                                   host_.freshness.epoch());
          });
      const creator::Plan& plan = resolved->plan;
      if (!build_hash.empty() && build_hash != plan.build_hash) {
        throw Failure("what it was made of has changed since");
      }
      if (was_tried(plan.build_hash)) return;
      build = plan.build_hash;
      const host::TurnQueue::Turn turn = turns_.wait();
      if (was_tried(plan.build_hash)) return;  // meanwhile
      const base::UniqueFd zip = open_archive(plan, builds_);
      if (!records_.find(plan.build_hash)) record_archive(plan, zip);
      record(plan.build_hash, start_archive(plan, zip));
    } catch (const Failure& failure) {
      fail(selection, build, failure.what());
    } catch (const start::NotTried& cause) {
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
           (known->start->outcome != kUnavailable ||
            known->start->at >= context_.now() - kRetriedAfter);
  }

  // What ends this process, too, was tried as well: it is not the first again in the next run.
  db::BuildStart start_archive(const creator::Plan& plan, const base::UniqueFd& zip) {
    const auto note = [&](domain::Timestamp at) {
      records_.record_start(plan.build_hash,
                            {kUnavailable, at, 0, 0, {"goldsmith ended while it was started"}});
    };
    note(context_.now());
    try {
      const start::Report report = cli::start_archive(plan, zip, context_.config().start);
      note_starts(context_, "");
      return record_of(report, play(plan, zip, report), context_.now());
    } catch (const start::NotTried&) {
      throw;
    } catch (...) {
      note(context_.now() - kRetriedAfter - std::chrono::seconds(1));
      throw;
    }
  }

  // Absent also if the processor was busy with others.
  std::optional<start::Report> play(const creator::Plan& plan, const base::UniqueFd& zip,
                                    const start::Report& started) {
    std::string cause;
    std::optional<start::Report> played;
    try {
      played = play_archive(plan, zip, started, builds_, host_.gate.background_start_permit(),
                            context_.config().start, cause);
    } catch (const start::NotTried& busy) {
      cause = busy.what();
    }
    if (!cause.empty()) context_.progress("nobody has played there: " + cause);
    return played;
  }

  // Nobody has downloaded it yet.
  void record_archive(const creator::Plan& plan, const base::UniqueFd& zip) {
    const std::string file = "/proc/self/fd/" + std::to_string(zip.get());
    records_.record({plan.build_hash, base::sha256_of_file(file), std::filesystem::file_size(file),
                     creator::archive_query(plan)},
                    context_.now());
  }

  void record(const std::string& build_hash, const db::BuildStart& start) {
    records_.record_start(build_hash, start);
    ++count_;
    context_.out() << build_hash << ": " << start.outcome << ", "
                   << count_of(static_cast<std::size_t>(start.plugins_running), "plugin")
                   << " running, " << start.plugins_faulty << " faulty"
                   << (start.plays.empty()      ? ""
                       : start.plays == "plays" ? ", and plays"
                                                : ", but does not play")
                   << '\n';
  }

  void fail(const std::string& selection, const std::string& build_hash, const std::string& cause) {
    const std::string offered = selection.empty() ? "the recommended server" : selection;
    context_.report((build_hash.empty() ? offered : build_hash) + ": " + cause);
    if (!build_hash.empty()) record(build_hash, {kUnavailable, context_.now(), 0, 0, {cause}});
  }

  Context& context_;
  CheckHost host_;
  creator::ServerBuilds builds_;
  db::BuildStore records_;
  host::TurnQueue turns_;
  std::size_t count_ = 0;
};

}  // namespace

void start_pending(Context& context) {
  // What the workers keep belongs to their user, who also reads their counters.
  if (host::is_root_in_folder_of_another(context.config().archive_cache)) {
    throw Failure(
        "root does not work in the cache of the workers' user: \"systemctl start "
        "goldsmith-build-start\" does this as that user");
  }
  host::HostSemaphore starters(context.config().state.parent_path() / "digests");
  const auto turn = starters.try_acquire(creator::ArchiveDigests::kStarterRow, 1);
  if (!turn) {
    context.out() << "another process is starting what was not started yet\n";
    return;
  }
  PendingStarts pending(context);
  try {
    pending.start_recorded();
    pending.start_offered();
  } catch (const start::Unavailable& unavailable) {
    note_starts(context, unavailable.what());
    throw Untried(std::string("no server can be started here: ") + unavailable.what());
  }
  if (pending.count() == 0) context.out() << "every build was started before\n";
}

}  // namespace goldsmith::cli
