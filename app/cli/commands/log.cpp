#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "db/change_log.hpp"
#include "db/download_log.hpp"

namespace goldsmith::cli::commands::log {
namespace {

constexpr std::int64_t kDefaultRows = 100;
constexpr std::int64_t kMaxRows = 1'000'000;

Listing<db::DownloadRecord> downloads() {
  using Row = db::DownloadRecord;
  return {{{"TIME", "time", &Row::time},
           {"PLUGIN", "slug", &Row::slug},
           {"VERSION", "version", &Row::version},
           {"KIND", "kind", &Row::kind},
           {"TOOLCHAIN", "toolchain", &Row::toolchain},
           {"CALLER", "caller", &Row::caller},
           {"RESULT", "result", &Row::result},
           {"MS", "compile_milliseconds", &Row::compile_milliseconds}}};
}

std::string by(const db::Change& change) {
  return change.sudo_user.empty() ? change.user : change.sudo_user + " as " + change.user;
}

std::string outcome(const db::Change& change) {
  return change.problem.empty() ? change.outcome : change.outcome + ": " + change.problem;
}

Listing<db::Change> changes() {
  using Row = db::Change;
  return {{{"TIME", "time", &Row::time},
           {"HOST", "host", &Row::host},
           {.header = "USER", .value = by},
           {.field = "user", .value = &Row::user},
           {.field = "sudo_user", .value = &Row::sudo_user},
           {"COMMAND", "command", &Row::command},
           {"ARGUMENTS", "arguments", &Row::arguments},
           {.header = "OUTCOME", .value = outcome},
           {.field = "outcome", .value = &Row::outcome},
           {.field = "problem", .value = &Row::problem}}};
}

void run_changes(const Arguments& arguments, Context& context) {
  const std::int64_t limit = arguments.integer("limit", 1, kMaxRows, kDefaultRows);
  const std::optional<domain::Timestamp> since = arguments.time("since");
  changes().print(context.changes().list(since, limit), arguments, context);
}

// Of both lists.
std::vector<Option> list_options(const std::string& what) {
  return {{.name = "since",
           .value_name = "T",
           .help = "Shows only " + what + " since this time (UTC)."},
          {.name = "limit",
           .value_name = "N",
           .help = "Shows at most this many, 1 to 1000000; the default is 100."},
          json_option()};
}

Verb changes_verb() {
  return {
      .name = "changes",
      .summary = "Lists what this command changed, newest first.",
      .text =
          "Lists who changed what with this command, newest first: the time (UTC), the host, the "
          "user, and who became that user with sudo, as sudo says; the command with its arguments, "
          "and how it ended. Commands that failed are listed, too. Passwords, keys and queries of "
          "addresses are shown as ***. What only reads is not recorded, nor what can be made "
          "again: the depot, caches, and what checks and starts of plugins and servers showed. A "
          "process that was killed is not recorded either. Whoever may change the database may "
          "change this list.",
      .options = list_options("changes"),
      .examples = {"goldsmith log changes --since 2026-01-31"},
      .run = run_changes,
  };
}

void run_downloads(const Arguments& arguments, Context& context) {
  const std::int64_t limit = arguments.integer("limit", 1, kMaxRows, kDefaultRows);
  const std::optional<domain::Timestamp> since = arguments.time("since");
  downloads().print(context.downloads().list(since, limit), arguments, context);
}

Verb downloads_verb() {
  return {
      .name = "downloads",
      .summary = "Lists plugin downloads, newest first.",
      .text = "Lists plugin downloads, newest first.",
      .options = list_options("downloads"),
      .examples = {"goldsmith log downloads --since 2026-01-31"},
      .run = run_downloads,
  };
}

std::string older_than(const std::optional<domain::Timestamp>& before, const char* option) {
  return before ? "older than " + domain::format_timestamp(*before)
                : std::string("(") + option + " is 0)";
}

void print_counts(const db::LogCounts& counts, std::int64_t changes, const db::LogLimits& limits,
                  bool is_dry, std::ostream& out) {
  const char* const removed = is_dry ? "would remove " : "removed ";
  const std::string older = older_than(limits.rows_before, "log.retention_days");
  out << removed << counts.rows << " downloads " << older << "\n"
      << removed << changes << " changes " << older << "\n"
      << (is_dry ? "would blank " : "blanked ") << counts.addresses << " callers' addresses "
      << older_than(limits.addresses_before, "log.address_days") << '\n';
}

// That of the database server, whichever host prunes. If this host's is far from it, one of the two
// is wrong, and nobody knows which: the log is not to lose what is not too old.
domain::Timestamp time_to_prune_by(Context& context) {
  constexpr std::chrono::minutes kMostApart{5};
  const domain::Timestamp there{std::chrono::seconds(context.database().report().clock)};
  const domain::Timestamp here = context.now();
  if (std::chrono::abs(there - here) <= kMostApart) return there;
  throw Failure("it is " + domain::format_timestamp(here) + " by the clock of this host and " +
                domain::format_timestamp(there) +
                " by that of the database server: nothing was pruned; set the wrong one right "
                "(timedatectl set-ntp true) and run \"goldsmith log prune\" again");
}

db::LogCounts prune(const db::LogLimits& limits, Context& context) {
  if (limits.rows_before) db::BuildStore(context.database()).forget_before(*limits.rows_before);
  ProgressLine progress(context.err(), context.shows_progress());
  return db::prune_log(context.database(), limits, [&](const db::LogCounts& counts) {
    progress.show(
        fmt::format("{} downloads removed, {} addresses blanked", counts.rows, counts.addresses));
  });
}

std::int64_t prune_changes(const db::LogLimits& limits, bool is_dry, Context& context) {
  if (!limits.rows_before) return 0;
  return is_dry ? context.changes().count_before(*limits.rows_before)
                : context.changes().forget_before(*limits.rows_before);
}

// Longer than "key list" looks back.
constexpr std::chrono::days kUsesOfKeys{62};

void run_prune(const Arguments& arguments, Context& context) {
  const db::LogLimits limits = db::log_limits(context.config().log, time_to_prune_by(context));
  const bool is_dry = arguments.has("dry-run");
  const db::LogCounts counts =
      is_dry ? db::count_prunable(context.database(), limits) : prune(limits, context);
  const std::int64_t changes = prune_changes(limits, is_dry, context);
  if (!is_dry) context.keys().forget_uses_before(context.now() - kUsesOfKeys);
  if (!arguments.has("json")) return print_counts(counts, changes, limits, is_dry, context.out());
  context.print(json::Object{{"removed", counts.rows},
                             {"removed_changes", changes},
                             {"blanked_addresses", counts.addresses},
                             {"removed_before", domain::format_timestamp(limits.rows_before)},
                             {"blanked_before", domain::format_timestamp(limits.addresses_before)},
                             {"dry_run", is_dry}});
}

Verb prune_verb() {
  return {
      .name = "prune",
      .summary = "Removes old downloads and changes from the log.",
      .text =
          "Removes downloads and changes that are older than log.retention_days, and blanks the "
          "callers' "
          "addresses of those older than log.address_days (see goldsmith.conf(5)); 0 keeps them. "
          "The counters of plugins stay as they are. Downloads go on meanwhile: each transaction "
          "removes about a thousand rows, and an interrupted run is continued by the next one. "
          "Digests of server archives that were taken before log.retention_days are forgotten; the "
          "next download takes them again. What keys have used is forgotten after 62 days. The age "
          "of a download is told by the clock of the "
          "database server; if that of this host differs by more than five minutes, nothing is "
          "removed. goldsmith-log-prune.timer runs this daily.",
      .options = {{.name = "dry-run",
                   .help = "Only shows how many there are.",
                   .effect = Effect::reads},
                  json_option()},
      .examples = {"goldsmith log prune --dry-run", "goldsmith log prune"},
      .run = run_prune,
      .is_recorded = true,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "log",
      .summary = "The log of plugin downloads and of changes.",
      .text =
          "Shows and prunes what the database has logged: downloads of plugins, and what this "
          "command changed.",
      .verbs = {downloads_verb(), changes_verb(), prune_verb()},
  };
}

}  // namespace goldsmith::cli::commands::log
