// What people left in a folder, such as that of SFTP, is tried and reported.
#include <chrono>

#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/commands/scan_options.hpp"
#include "app/cli/output.hpp"
#include "app/cli/scan_host.hpp"
#include "app/scan/mirroring.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::int64_t kMostMinutes = 24 * 60;

using Tried = scan::PluginMirroring::TriedPlugin;

std::vector<domain::StartVerdict> starts_in(const Tried& tried) {
  return tried.added ? tried.added->starts : std::vector<domain::StartVerdict>();
}

json::Object starts_of(const Tried& tried) {
  json::Object starts;
  for (const domain::StartVerdict& start : starts_in(tried)) {
    starts.emplace(start.toolchain, domain::to_string(start.result));
  }
  return starts;
}

std::string remark_of(const Tried& tried) {
  const scan::ScannedPlugin& scanned = *tried.scanned;
  if (!scanned.refused.empty()) return scanned.refused;
  if (!scanned.stock.empty()) return "is a file of " + scanned.stock;
  if (scanned.is_late || (scanned.facts.is_plugin && scanned.toolchain.empty())) return scanned.why;
  for (const domain::StartVerdict& start : starts_in(tried)) {
    const bool runs = start.result == domain::StartVerdict::Result::runs;
    if (!runs && !start.messages.empty()) return start.messages.front();
  }
  if (const auto open = scanned.open_questions(); !open.empty()) return open.front()->text;
  if (!scanned.notes.empty()) return scanned.notes.front();
  return scanned.facts.is_plugin ? "" : "has no function that AMX Mod X calls";
}

Listing<Tried> inbox_listing() {
  using Row = Tried;
  const auto results = [](const Row& row) { return results_of(*row.scanned); };
  const auto shown = [](const json::Object& object) {
    return base::join(object, ", ",
                      [](const auto& each) { return each.first + " " + *each.second.as_string(); });
  };
  return {
      {{"FILE", "path", [](const Row& row) { return row.scanned->path; }},
       {"STATE", "state", [](const Row& row) { return to_string(row.scanned->state()); }},
       {"SLUG", "slug", [](const Row& row) { return row.scanned->slug; }, "-"},
       {"VERSION", "version",
        [](const Row& row) { return row.added ? row.added->version.str() : ""; }, "-"},
       {.header = "COMPILES",
        .value = [=](const Row& row) { return shown(results(row)); },
        .absent = "-"},
       {.header = "RUNS",
        .value = [=](const Row& row) { return shown(starts_of(row)); },
        .absent = "-"},
       {.header = "REMARK", .value = remark_of},
       {.field = "name", .value = [](const Row& row) { return row.scanned->name(); }},
       {.field = "author", .value = [](const Row& row) { return row.scanned->facts.author; }},
       {.field = "compiles_with", .value = results},
       {.field = "runs_with", .value = starts_of},
       {.field = "why", .value = [](const Row& row) { return row.scanned->why; }},
       {.field = "refused", .value = [](const Row& row) { return row.scanned->refused; }},
       {.field = "notes", .value = [](const Row& row) { return row.scanned->notes; }},
       {.field = "questions", .value = [](const Row& row) { return questions_of(*row.scanned); }}}};
}

void run_inbox(const Arguments& arguments, Context& context) {
  const std::string inbox = arguments.text("FOLDER");
  const std::string report_file = arguments.text("report");
  if (!std::filesystem::is_directory(inbox)) throw Failure(inbox + " is no folder");
  const base::InterruptionGuard guard;
  const scan::FollowedRepositories followed(context.config().followed,
                                            scan::FollowedRepositories::Access::changes);
  scan::FollowedRepository names;  // its record has a name like those of repositories
  names.upstream.repository =
      "inbox" + std::filesystem::absolute(inbox).lexically_normal().string();
  scan::PluginMirroring::Request request;
  request.answers = answers_of(arguments);
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::minutes(arguments.integer("minutes", 0, kMostMinutes, 30));
  const ScanHost host(context);
  scan::PluginMirroring mirroring(host, jobs_of(arguments));
  const scan::PluginMirroring::InboxReport report =
      mirroring.take_inbox(inbox, until, followed.folder_of(names.name()), request);
  if (!report_file.empty()) {
    const std::filesystem::path file = report_file;
    const base::HeldFolder folder(file.has_parent_path() ? file.parent_path() : ".");
    folder.write(file.filename().string(),
                 json::to_pretty_string(inbox_listing().array(report.plugins)) + "\n");
  }
  inbox_listing().print(report.plugins, arguments, context);
}

}  // namespace

Verb plugin_inbox_verb() {
  return {
      .name = "inbox",
      .summary = "Tries what people left in a folder, and reports on it.",
      .text =
          "Scans a folder to which others may write, as \"goldsmith plugin scan\" does, compiles "
          "and starts what is in it, and prints a line for each source. What compiles and asks "
          "nothing becomes a draft; nothing is published by itself, and nothing in the folder is "
          "changed. The next call tells the same again of what is still there.\n\n"
          "One call reads at most 5000 files and folders with 1 MiB of names, and 256 MiB of "
          "content; what is above is refused, and named. What it has no time left to compile waits "
          "for the next call, which does not compile again what has not changed.",
      .positionals = {{.name = "FOLDER"}},
      .options = {{.name = "report",
                   .value_name = "FILE",
                   .help = "Writes all that is known, with errors and questions, to this file as "
                           "JSON."},
                  answer_option(),
                  {.name = "minutes",
                   .value_name = "N",
                   .help =
                       "How long sources are read and compiled (30 by default); 0 compiles none."},
                  jobs_option(),
                  json_option()},
      .examples = {"goldsmith plugin inbox /srv/uploads --report /var/lib/goldsmith/inbox.json"},
      .run = run_inbox,
      .is_recorded = true,
  };
}

}  // namespace goldsmith::cli
