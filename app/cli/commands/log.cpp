#include <optional>
#include <ostream>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/log_limits.hpp"
#include "app/cli/progress_line.hpp"
#include "app/cli/table.hpp"
#include "db/build_store.hpp"
#include "db/download_log.hpp"
#include "db/log_pruning.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::int64_t kDefaultRows = 100;
constexpr std::int64_t kMaxRows = 1'000'000;

void run_downloads(const Arguments& arguments, Context& context) {
  const std::int64_t limit =
      arguments.has("limit") ? arguments.integer("limit", 1, kMaxRows) : kDefaultRows;
  const std::optional<domain::Timestamp> since = arguments.time("since");
  json::Array listing;
  Table table({"TIME", "PLUGIN", "VERSION", "KIND", "TOOLCHAIN", "CALLER", "RESULT", "MS"});
  for (const db::DownloadRecord& row : context.downloads().list(since, limit)) {
    const std::string time = domain::format_timestamp(row.time);
    listing.emplace_back(json::Object{{"time", time},
                                      {"slug", row.slug},
                                      {"version", row.version},
                                      {"kind", row.kind},
                                      {"toolchain", row.toolchain},
                                      {"caller", row.caller},
                                      {"result", row.result},
                                      {"compile_milliseconds", row.compile_milliseconds}});
    table.add({time, row.slug, row.version, row.kind, row.toolchain, row.caller, row.result,
               std::to_string(row.compile_milliseconds)});
  }
  if (arguments.has("json")) return context.print(listing);
  table.print(context.out());
}

Verb downloads_verb() {
  return {
      .name = "downloads",
      .summary = "Lists plugin downloads, newest first.",
      .text = "Lists plugin downloads, newest first.",
      .options = {{.name = "since",
                   .value_name = "T",
                   .help = "Shows only downloads since this time (UTC)."},
                  {.name = "limit",
                   .value_name = "N",
                   .help = "Shows at most this many, 1 to 1000000; the default is 100."},
                  json_option()},
      .examples = {"goldsmith log downloads --since 2026-01-31"},
      .run = run_downloads,
  };
}

std::string older_than(const std::optional<domain::Timestamp>& before, const char* option) {
  return before ? "older than " + domain::format_timestamp(*before)
                : std::string("(") + option + " is 0)";
}

void print_counts(const db::LogCounts& counts, const db::LogLimits& limits, bool is_dry,
                  std::ostream& out) {
  out << (is_dry ? "would remove " : "removed ") << counts.rows << " downloads "
      << older_than(limits.rows_before, "log.retention_days") << "\n"
      << (is_dry ? "would blank " : "blanked ") << counts.addresses << " callers' addresses "
      << older_than(limits.addresses_before, "log.address_days") << '\n';
}

db::LogCounts prune(const db::LogLimits& limits, Context& context) {
  if (limits.rows_before) db::BuildStore(context.database()).forget_before(*limits.rows_before);
  ProgressLine progress(context.err(), context.shows_progress());
  return db::prune_log(context.database(), limits, [&](const db::LogCounts& counts) {
    progress.show(std::to_string(counts.rows) + " downloads removed, " +
                  std::to_string(counts.addresses) + " addresses blanked");
  });
}

void run_prune(const Arguments& arguments, Context& context) {
  const db::LogLimits limits = log_limits(context.config().log, context.now());
  const bool is_dry = arguments.has("dry-run");
  const db::LogCounts counts =
      is_dry ? db::count_prunable(context.database(), limits) : prune(limits, context);
  if (!arguments.has("json")) return print_counts(counts, limits, is_dry, context.out());
  context.print(json::Object{{"removed", counts.rows},
                             {"blanked_addresses", counts.addresses},
                             {"removed_before", domain::format_timestamp(limits.rows_before)},
                             {"blanked_before", domain::format_timestamp(limits.addresses_before)},
                             {"dry_run", is_dry}});
}

Verb prune_verb() {
  return {
      .name = "prune",
      .summary = "Removes old downloads from the log.",
      .text =
          "Removes downloads that are older than log.retention_days, and blanks the callers' "
          "addresses of those older than log.address_days (see goldsmith.conf(5)); 0 keeps them. "
          "The counters of plugins stay as they are. Downloads go on meanwhile: each transaction "
          "removes about a thousand rows, and an interrupted run is continued by the next one. "
          "Digests of server archives that were taken before log.retention_days are forgotten; the "
          "next download takes them again. "
          "goldsmith-log-prune.timer runs this daily.",
      .options = {{.name = "dry-run", .help = "Only shows how many there are."}, json_option()},
      .examples = {"goldsmith log prune --dry-run", "goldsmith log prune"},
      .run = run_prune,
  };
}

}  // namespace

Noun log_noun() {
  return {
      .name = "log",
      .summary = "The log of plugin downloads.",
      .text = "Shows and prunes the plugin downloads that the database has logged.",
      .verbs = {downloads_verb(), prune_verb()},
  };
}

}  // namespace goldsmith::cli
