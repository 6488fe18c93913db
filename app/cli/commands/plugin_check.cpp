#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <ostream>
#include <thread>

#include "app/access/settings.hpp"
#include "app/cli/commands/check_host.hpp"
#include "app/cli/commands/check_report.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/progress_line.hpp"
#include "app/sys/interruption.hpp"

namespace goldsmith::cli {
namespace {

using Known = service::CompileChecks::Known;

constexpr std::int64_t kMaxJobs = 64;
constexpr int kNiceness = 10;
constexpr auto kForgotten = std::chrono::hours(24 * 180);  // verdicts about toolchains of old

// Several threads that take the next version each.
class Check {
 public:
  Check(const std::vector<db::CheckableVersion>& versions, Known known)
      : versions_(versions), known_(known), checked_(versions.size()) {}

  void run(std::vector<std::unique_ptr<CheckHost>>& hosts, ProgressLine& progress) {
    std::vector<std::thread> threads;
    threads.reserve(hosts.size());
    for (auto& host : hosts) {
      threads.emplace_back([&, host = host.get()] { work(host->checks, progress); });
    }
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  const std::vector<CheckedVersion>& checked() const { return checked_; }

 private:
  void work(service::CompileChecks& checks, ProgressLine& progress) try {
    for (std::size_t i = next_++; i < versions_.size(); i = next_++) {
      sys::check_interruption();
      checked_[i] = {&versions_[i], checks.check(versions_[i], known_)};
      const std::lock_guard lock(mutex_);
      progress.show_count("versions checked", ++done_, versions_.size());
    }
  } catch (...) {
    next_ = versions_.size();  // the others end, too
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }

  const std::vector<db::CheckableVersion>& versions_;
  const Known known_;
  std::vector<CheckedVersion> checked_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // of what follows
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

void check_slugs(const std::vector<domain::Slug>& slugs, db::PluginStore plugins) {
  for (const domain::Slug& slug : slugs) {
    if (plugins.find_any(slug)) continue;
    throw no_such("plugin", slug, "plugin");
  }
}

void check_limits(Context& context) {
  if (access::make_settings(context.settings().load()).compile_flood_per_minute > 0) return;
  throw Failure(
      "the setting compile_flood_per_minute is 0, so nothing may be compiled; \"goldsmith setting "
      "set compile_flood_per_minute 40\" allows it");
}

// Those that a check without --all would compile.
void keep_unknown(std::vector<db::CheckableVersion>& versions, const compile::VerdictBasis& basis) {
  const auto& current = basis.fingerprints();
  std::erase_if(versions, [&](const db::CheckableVersion& version) {
    return std::all_of(current.begin(), current.end(), [&](const auto& toolchain) {
      const domain::CompileVerdict* known = basis.find(version.verdicts, toolchain.first);
      return known != nullptr && known->findings;
    });
  });
}

void run_check(const Arguments& arguments, Context& context) {
  const std::vector<domain::Slug> slugs = arguments.slugs("SLUG");
  const auto jobs =
      static_cast<std::size_t>(arguments.has("jobs") ? arguments.integer("jobs", 1, kMaxJobs) : 1);
  check_slugs(slugs, context.plugins());
  check_limits(context);
  ::setpriority(PRIO_PROCESS, 0, kNiceness);  // best effort: compiles are nice in any case

  db::VerdictStore store(context.database());
  std::vector<db::CheckableVersion> versions = store.versions(slugs);
  std::vector<std::unique_ptr<CheckHost>> hosts;
  hosts.push_back(std::make_unique<CheckHost>(context.config(), sys::interruptible_sleep));
  const compile::VerdictBasis basis = hosts.front()->checks.basis();
  if (basis.fingerprints().empty()) {
    throw Failure("no toolchain is installed; goldsmith-install-toolchain installs one");
  }
  if (!arguments.has("all") && slugs.empty()) keep_unknown(versions, basis);
  for (std::size_t i = 1; i < std::min(jobs, versions.size()); ++i) {
    hosts.push_back(std::make_unique<CheckHost>(context.config(), sys::interruptible_sleep));
  }

  const sys::InterruptionGuard guard;
  Check check(versions, arguments.has("all") ? Known::again : Known::stay);
  {
    ProgressLine progress(context.err(), context.shows_progress());
    check.run(hosts, progress);
  }
  store.prune(basis.fingerprints(), context.now() - kForgotten);
  const Totals totals = totals_of(check.checked());
  if (totals.compiled > 0) context.announce_change();
  checked_listing().print(check.checked(), arguments, context,
                          [&] { print_checked(check.checked(), !slugs.empty(), context.out()); });
  if (totals.without > 0) {
    throw Failure(count_of(totals.without, "compile") +
                  " had no result, because of this host: " + totals.cause);
  }
}

}  // namespace

Verb plugin_check_verb() {
  return {
      .name = "check",
      .summary = "Compiles versions with each toolchain, and stores the verdicts.",
      .text =
          "Compiles the published versions of the named plugins, or of all plugins, with each "
          "installed toolchain, and stores whether they compile: \"compiles_with\" in the API, and "
          "on the pages, with what the compiled plugin needs (\"needs\") or why it does not "
          "compile "
          "(\"compile_errors\"). Verdicts belong to the files of a version and to the fingerprint "
          "of a "
          "toolchain: what has one is not compiled again, and what another version or an earlier "
          "toolchain already told is known. After a change of a toolchain, or of its includes, all "
          "are unknown until they are checked again; after a new version of a component, plugins "
          "that read its includes are compiled again. The package does that every hour "
          "(goldsmith-plugin-check.timer).\n\n"
          "Compiles are done as those of the service, in the sandbox, at a low priority, and use "
          "at most half of compile_flood_per_minute, so that downloads go on. A source that ends "
          "at a limit, or for no reason that the compiler names, stays \"unknown\". What this host "
          "is to blame for (a time-out, a full disk, no working compiler) is no verdict at all: it "
          "is tried again by the next check, and the exit code is 1.",
      .positionals = {{.name = "SLUG", .required = false, .repeated = true}},
      .options = {{.name = "all", .help = "Also compiles what already has a verdict."},
                  {.name = "jobs",
                   .value_name = "N",
                   .help = "How many compiles run at once (1 by default)."},
                  json_option()},
      .examples = {"goldsmith plugin check", "goldsmith plugin check afk-kicker --all",
                   "goldsmith plugin check --all --jobs 4"},
      .run = run_check,
  };
}

}  // namespace goldsmith::cli
