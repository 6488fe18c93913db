#include "app/cli/commands/plugin_check.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <memory>

#include "app/base/interruption.hpp"
#include "app/base/parallel.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/cli/start_host.hpp"
#include "app/directory/check_host.hpp"
#include "app/limits/gate.hpp"
#include "app/scan/plugin_checks.hpp"
#include "app/start/plugin_starts.hpp"

namespace goldsmith::cli {

namespace {

using Known = directory::CompileChecks::Known;
using directory::CheckHost;

constexpr std::int64_t kMaxCheckJobs = 64;
constexpr int kNiceness = 10;
constexpr auto kForgotten = std::chrono::hours(24 * 180);  // verdicts about toolchains of old

void check_slugs(const std::vector<domain::Slug>& slugs, db::PluginStore plugins) {
  for (const domain::Slug& slug : slugs) {
    if (plugins.find_any(slug)) continue;
    throw no_such("plugin", slug, "plugin");
  }
}

void check_limits(Context& context) {
  if (limits::make_settings(context.settings().load()).compile_flood_per_minute > 0) return;
  throw Failure(
      "the setting compile_flood_per_minute is 0, so nothing may be compiled; \"goldsmith setting "
      "set compile_flood_per_minute 40\" allows it");
}

// Keeps the versions that a check without --all would compile.
void keep_unknown(std::vector<db::CheckableVersion>& versions,
                  const directory::CompileChecks& checks) {
  std::erase_if(versions, [&](const auto& version) { return checks.knows(version); });
}

std::unique_ptr<CheckHost> new_host(Context& context) {
  return std::make_unique<CheckHost>(context.config(), base::interruptible_sleep);
}

// In a thread for each of `hosts`.
std::vector<CheckedVersion> check_all(const std::vector<db::CheckableVersion>& versions,
                                      Known known,
                                      const std::vector<std::unique_ptr<CheckHost>>& hosts,
                                      Context& context) {
  std::vector<CheckedVersion> checked(versions.size());
  ProgressLine progress(context.err(), context.shows_progress());
  base::in_threads(
      hosts.size(), versions.size(),
      [&](std::size_t host, std::size_t i) {
        checked[i] = {&versions[i], hosts[host]->checks.check(versions[i], known)};
      },
      [&](std::size_t done, std::size_t total) {
        progress.show_count("versions checked", done, total);
      });
  return checked;
}

// Adds what starts found to what was checked.
void add_starts(std::vector<start::StartedVersion> found, CheckHost& host,
                std::vector<CheckedVersion>& checked) {
  for (start::StartedVersion& started : found) {
    auto known = std::find_if(checked.begin(), checked.end(), [&](const auto& each) {
      return each.version->id == started.version->id;
    });
    if (known == checked.end()) {
      checked.push_back({started.version, host.checks.check(*started.version, Known::stay)});
      known = std::prev(checked.end());
    }
    std::erase_if(known->starts, [&](const auto& former) {
      return former.toolchain == started.verdict.toolchain;
    });
    known->starts.push_back(std::move(started.verdict));
  }
}

// PluginStarts::start or PluginStarts::measure.
struct Starting {
  decltype(&start::PluginStarts::start) run;
  std::string progress;
};

// Adds what starts show of these versions to those that were checked.
void start_all(const std::vector<db::CheckableVersion>& versions, bool again,
               const Starting& starting, CheckHost& host, std::vector<CheckedVersion>& checked,
               Context& context) try {
  for (CheckedVersion& each : checked) {
    const auto known = std::find_if(versions.begin(), versions.end(), [&](const auto& version) {
      return version.id == each.version->id;
    });
    if (known != versions.end()) each.starts = known->starts;
  }
  ProgressLine progress(context.err(), context.shows_progress());
  start::PluginStarts starts(host, start_host(context));
  const auto tell = [&](std::size_t done, std::size_t total) {
    progress.show_count(starting.progress, done, total);
  };
  add_starts((starts.*starting.run)(versions, again, tell), host, checked);
} catch (const start::Unavailable& unavailable) {
  context.progress(std::string("no plugin was started: ") + unavailable.what());
}

// Reports the files of the named plugins, or of all, that would replace somebody else's.
void report_foreign_files(const std::vector<domain::Slug>& slugs, Context& context) {
  const domain::FileOwners owners = scan::file_owners(context.database());
  context.plugins().each_version(
      [&](const db::PluginName& plugin, const domain::PluginVersion& version) {
        if (!slugs.empty() && std::find(slugs.begin(), slugs.end(), plugin.slug) == slugs.end()) {
          return;
        }
        for (const std::string& file : scan::foreign_files(version, owners)) {
          context.report(plugin.slug.str() + " " + version.version.str() + ": " + file +
                         ", and is left out of downloads");
        }
      });
}

void run_check(const Arguments& arguments, Context& context) {
  const std::vector<domain::Slug> slugs = arguments.slugs("SLUG");
  const auto jobs = static_cast<std::size_t>(arguments.integer("jobs", 1, kMaxCheckJobs, 1));
  check_slugs(slugs, context.plugins());
  check_limits(context);
  report_foreign_files(slugs, context);
  ::setpriority(PRIO_PROCESS, 0, kNiceness);  // best effort: compiles are nice in any case

  db::VerdictStore store(context.database());
  std::vector<db::CheckableVersion> versions = store.versions(slugs);
  std::vector<std::unique_ptr<CheckHost>> hosts;
  hosts.push_back(new_host(context));
  const compile::VerdictBasis basis = hosts.front()->checks.basis();
  if (basis.fingerprints().empty()) {
    throw Failure("no toolchain is installed; goldsmith-install-toolchain installs one");
  }
  if (!arguments.has("all") && slugs.empty()) keep_unknown(versions, hosts.front()->checks);
  while (hosts.size() < std::min(jobs, versions.size())) hosts.push_back(new_host(context));

  const base::InterruptionGuard guard;
  std::vector<CheckedVersion> checked =
      check_all(versions, arguments.has("all") ? Known::again : Known::stay, hosts, context);
  store.prune(basis.fingerprints(), context.now() - kForgotten);
  const Totals totals = totals_of(checked);
  if (totals.compiled > 0) context.announce_change();
  // With the verdicts that were just made.
  const std::vector<db::CheckableVersion> compiled = store.versions(slugs);
  const bool again = arguments.has("all");
  start_all(compiled, again, {&start::PluginStarts::start, "starts done"}, *hosts.front(), checked,
            context);
  std::vector<db::CheckableVersion> started;
  if (arguments.has("costs")) {
    started = store.versions(slugs);
    start_all(started, again, {&start::PluginStarts::measure, "plugins measured"}, *hosts.front(),
              checked, context);
  }
  checked_listing().print(checked, arguments, context,
                          [&] { print_checked(checked, !slugs.empty(), context.out()); });
  if (totals.without > 0) {
    throw Failure(count_of(totals.without, "compile") +
                  " had no result, because of this host: " + base::join(totals.causes, "; "));
  }
}

}  // namespace

Verb plugin_check_verb() {
  return {
      .name = "check",
      .summary = "Compiles and starts versions of plugins, and stores the verdicts.",
      .text =
          "Compiles the published versions of the named plugins, or of all plugins, with each "
          "installed toolchain, and stores whether they compile: \"compiles_with\" in the API, and "
          "on the pages, with what the compiled plugin needs (\"needs\") or why it does not "
          "compile (\"compile_errors\"). Verdicts belong to the files of a version and to the "
          "fingerprint of a toolchain: what has one is not compiled again, and what another "
          "version or an earlier toolchain already told is known. After a change of a toolchain, "
          "or of its includes, all are unknown until they are checked again; after a new version "
          "of a component, plugins that read its includes are compiled again. The package does "
          "that every hour (goldsmith-plugin-check.timer).\n\n"
          "Then the recommended server of each platform is started with what compiles for it and "
          "was not started with that server yet, or with who now has what it needs, as \"goldsmith "
          "build start\" does, with the "
          "components and plugins that it requires: \"runs_with\" in the API, and on the pages, "
          "with the first messages (\"start_errors\"). Plugins that can't disturb each other share "
          "a start, and what does not run is started again alone. \"refused\" is what can't be "
          "judged, with the reason. "
          "What runs is started once more with players who are made up: "
          "\"plays_with\" and \"play_errors\". What a start says nothing about, and what is left "
          "of a repository "
          "whose faulty versions took five minutes, is named and tried by the next check.\n\n"
          "Compiles are done as those of the service, in the sandbox, at a low priority, and use "
          "at most half of compile_flood_per_minute, so that downloads go on. A source that ends "
          "at a limit, or for no reason that the compiler names, stays \"unknown\". What this host "
          "is to blame for (a time-out, a full disk, no working compiler, a file of the depot that "
          "is missing or can't be read) is no verdict at all: the other versions are checked, it "
          "is tried again by the next check, and the exit code is 1.\n\n"
          "It also names files of these versions that would replace one of a component, or of a "
          "server's owner: they are left out of downloads.",
      .positionals = {{.name = "SLUG", .required = false, .repeated = true}},
      .options = {{.name = "all", .help = "Also compiles and starts what already has a verdict."},
                  {.name = "costs",
                   .help = "Also measures what share of a frame with 32 players plugins that play "
                           "take (\"frame_percent\" in the API, and on the pages): twenty seconds "
                           "each, of which some ten are a processor's; at most ten minutes."},
                  {.name = "jobs",
                   .value_name = "N",
                   .help = "How many compiles run at once (1 by default)."},
                  json_option()},
      .examples = {"goldsmith plugin check", "goldsmith plugin check afk-kicker --all",
                   "goldsmith plugin check --all --jobs 4", "goldsmith plugin check --costs"},
      .run = run_check,
  };
}

}  // namespace goldsmith::cli
