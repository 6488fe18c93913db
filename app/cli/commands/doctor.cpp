#include "app/cli/commands/doctor.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <map>
#include <ostream>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/compile/compiler.hpp"
#include "app/host/account.hpp"
#include "app/limits/freshness.hpp"
#include "app/limits/rate_windows.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "app/scan/plugin_checks.hpp"
#include "app/scan/plugin_tools.hpp"
#include "db/addon_store.hpp"
#include "db/download_log.hpp"

namespace goldsmith::cli {

void Findings::good(std::string subject, std::string text) {
  all_.push_back({std::move(subject), Health::good, std::move(text), ""});
}
void Findings::warning(std::string subject, std::string text, std::string remedy) {
  all_.push_back({std::move(subject), Health::warning, std::move(text), std::move(remedy)});
}
void Findings::bad(std::string subject, std::string text, std::string remedy) {
  all_.push_back({std::move(subject), Health::bad, std::move(text), std::move(remedy)});
}

}  // namespace goldsmith::cli

namespace goldsmith::cli::commands::doctor {

namespace {

std::string_view name_of(Health health) {
  switch (health) {
    case Health::good:
      return "good";
    case Health::warning:
      return "warning";
    case Health::bad:
      break;
  }
  return "bad";
}

Listing<Finding> listing() {
  return {{{.field = "subject", .value = &Finding::subject},
           {.field = "health", .value = [](const Finding& each) { return name_of(each.health); }},
           {.field = "text", .value = &Finding::text},
           {.field = "remedy", .value = &Finding::remedy}}};
}

void print(const std::vector<Finding>& findings, std::ostream& out) {
  for (const Finding& finding : findings) {
    out << (finding.health == Health::good ? "  " : "! ") << finding.subject << ": "
        << one_line(finding.text) << '\n';
    if (!finding.remedy.empty()) out << "    " << finding.remedy << '\n';
  }
}

std::string pool_of(const Arguments& arguments) {
  const std::string pool = arguments.text("pool");
  if (pool == "api" || pool == "build") return pool;
  throw UsageError("--pool: \"" + pool + "\" is not a pool of workers; allowed are api, build");
}

void examine_everything(Context& context, Findings& findings) {
  examine_host(context, findings);
  examine_service(context, findings);
  examine_pools(context, findings);
  examine_toolchains(context, findings);
  examine_mirroring(context, findings);
  examine_starts(context, findings);
}

void run_doctor(const Arguments& arguments, Context& context) {
  context.config();  // what can't be read at all ends here, with the line that is wrong
  Findings findings;
  if (arguments.has("pool")) {
    examine_as_pool(context, pool_of(arguments), findings);
  } else {
    examine_everything(context, findings);
  }
  listing().print(findings.all(), arguments, context,
                  [&] { print(findings.all(), context.out()); });
  const auto bad = std::count_if(findings.all().begin(), findings.all().end(),
                                 [](const Finding& each) { return each.health == Health::bad; });
  if (bad > 0) throw Failure(count_of(bad, "problem") + " must be fixed");
}

Verb doctor_verb() {
  return {
      .name = "doctor",
      .summary = "Looks for problems, and says how to fix them.",
      .text =
          "Checks the configuration and its permissions, the units, nginx, the certificate, the "
          "clock, the database with its accounts and schema, the depot and the hosts in "
          "depot.peers, the caches, the free space of the disks of all these and of the logs, "
          "reads and writes what the workers of each "
          "pool do as their user, compiles a plugin with each toolchain, as "
          "root both also in the restrictions of the workers' units, reads an archive in the "
          "sandbox of component mirror, and looks for what build start needs. A line that begins "
          "with \"!\" needs attention; the line "
          "below it says what to do. Changes nothing. The exit code is 1 if something must be "
          "fixed.",
      .options = {{.name = "pool",
                   .value_name = "POOL",
                   .help = "Only tries, as the user that calls it, what the workers of this pool, "
                           "api or build, read and write."},
                  json_option()},
      .examples = {"goldsmith doctor", "goldsmith doctor --json"},
      .run = run_doctor,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "doctor",
      .summary = "Looks for problems, and says how to fix them.",
      .text = "Checks the service and everything around it.",
      .verbs = {doctor_verb()},
  };
}

}  // namespace goldsmith::cli::commands::doctor

namespace goldsmith::cli {

namespace {

namespace fs = std::filesystem;

// A day is the timer's, another one a host's that was off.
void examine_log(Context& context, Findings& findings) {
  constexpr std::chrono::days kGrace{2};
  const db::LogLimits limits = db::log_limits(context.config().log, context.now() - kGrace);
  if (db::is_prunable(context.database(), limits)) {
    findings.warning("download log",
                     "it holds more than log.retention_days or log.address_days allow",
                     "goldsmith log prune; systemctl enable --now goldsmith-log-prune.timer");
  } else {
    findings.good("download log", "pruned");
  }
}

void examine_folder(const std::string& subject, const fs::path& folder, Findings& findings) {
  if (examine_disk(subject, folder, "goldsmith cache prune, or a larger disk", findings)) return;
  findings.bad(subject, folder.native() + " is not there",
               "systemd-tmpfiles --create goldsmith.conf");
}

// Where Debian's nginx and journald write; a journal that is in memory alone bounds itself.
void examine_logs(Findings& findings) {
  examine_disk("log disk", "/var/log/nginx",
               "systemctl status goldsmith-log-rotate.timer; du -ah /var/log/nginx shows what is "
               "large; or a larger disk",
               findings);
  examine_disk("journal disk", "/var/log/journal",
               "journalctl --vacuum-size=500M, or a larger disk", findings);
}

void examine_state(Context& context, Findings& findings) {
  const fs::path& path = context.config().state;
  if (const auto since = limits::DrainMark(path).since()) {
    findings.warning("service",
                     "this host is drained since " + domain::format_timestamp(*since) +
                         ": fronts send it no requests",
                     "goldsmith undrain, once it is good");
  }
  try {
    const limits::SharedState state(path, limits::SharedState::Open::existing);
    findings.good("shared state", path.native());
  } catch (const base::FileError& failure) {
    if (failure.error_number() == ENOENT) {
      return findings.warning("shared state", failure.what(),
                              "the first worker writes it: systemctl start goldsmith.target");
    }
    findings.bad("shared state", failure.what(),
                 "remove it; systemd-tmpfiles --create goldsmith.conf; goldsmith-workers restart");
  }
}

}  // namespace

void examine_service(Context& context, Findings& findings) {
  if (examine_database(context, findings)) {
    examine_directory(context, findings);
    examine_kept(context, findings);
    examine_depot(context, findings);
    examine_log(context, findings);
  }
  examine_folder("depot disk", context.config().depot, findings);
  examine_folder("archive cache", context.config().archive_cache, findings);
  examine_folder("plugin cache", context.config().artefact_cache, findings);
  examine_logs(findings);
  examine_state(context, findings);
}

namespace {

constexpr const char* kArchiveSandbox = "archive sandbox";

// As `component mirror` does with a release that has one small file.
void mirror_a_probe(const base::MirrorConfig& limits) {
  const base::TempDir folder;
  const std::filesystem::path probe = folder.path() / "probe.zip";
  base::write_atomically(probe, archive::zip_in_memory({{"probe", "probe", false}}));
  mirror::normalise({probe}, {}, limits, folder.path() / "result.zip");
}

}  // namespace

void examine_mirroring(Context& context, Findings& findings) {
  try {
    mirror_a_probe(context.config().mirror);
    const auto account = host::unprivileged_account(host::kMirrorAccount);
    findings.good(kArchiveSandbox, account ? "upstream archives are read as " + account->name
                                           : "upstream archives can be read");
  } catch (const std::exception& error) {
    findings.bad(kArchiveSandbox, error.what(), "no component can be mirrored until this is fixed");
  }
}

namespace {

using State = compile::ToolchainCheck::State;

// More than TimeoutStartSec of goldsmith-build@check.service.
constexpr std::chrono::seconds kCheckTime{150};

// The problems that the unit has printed since then.
std::vector<std::string> problems_in_journal(domain::Timestamp since) {
  std::vector<std::string> problems;
  for (const std::string& line : journal_lines("goldsmith-build@check.service", since)) {
    constexpr std::string_view kField = "problem ";
    if (line.starts_with(kField)) {
      problems.emplace_back(base::trim_ascii(line.substr(kField.size())));
    }
  }
  return problems;
}

// Whether toolchains also work inside what the units forbid: the instance runs "goldsmith toolchain
// check" with the account and the restrictions of the build workers, drop-ins of the operator
// included. `known` are the problems that toolchains have elsewhere, too.
void examine_unit(Context& context, const std::vector<std::string>& known, Findings& findings) {
  const domain::Timestamp start = context.now();
  const Answer answer =
      ask({"/usr/bin/systemctl", "start", "goldsmith-build@check.service"}, kCheckTime);
  if (answer.good) {
    findings.good("units", "the compilers work inside goldsmith-build@.service");
    return;
  }
  const std::vector<std::string> problems = problems_in_journal(start);
  const auto is_known = [&](const std::string& problem) {
    return std::find(known.begin(), known.end(), problem) != known.end();
  };
  const auto cause = std::find_if_not(problems.begin(), problems.end(), is_known);
  if (cause == problems.end() && !problems.empty()) return;
  findings.bad("units",
               "the compilers do not work inside goldsmith-build@.service: " +
                   (problems.empty() ? answer.text : *cause),
               "systemctl cat goldsmith-build@check.service shows what it forbids, drop-ins "
               "included; journalctl -u goldsmith-build@check.service says more");
}

}  // namespace

void examine_toolchains(Context& context, Findings& findings) {
  const base::Config& config = context.config();
  const compile::Toolchains toolchains(config.toolchains, config.includes);
  const compile::Compiler compiler = compile::command_compiler(config.compile);
  bool is_one_installed = false;
  std::vector<std::string> problems;
  for (const std::string& line : domain::toolchain_lines()) {
    const compile::ToolchainCheck check = compile::check_toolchain(toolchains, compiler, line);
    if (check.state == State::not_installed) continue;
    is_one_installed = true;
    if (check.state == State::works) {
      findings.good("toolchain " + line, check.banner + " in " + check.toolchain.folder.native());
    } else {
      problems.push_back(one_line(check.problem));
      findings.bad("toolchain " + line, check.problem, "goldsmith toolchain check " + line);
    }
  }
  if (!is_one_installed) {
    findings.warning("toolchains", "none is installed in " + config.toolchains.native(),
                     "goldsmith-install-toolchain 1.10");
  } else if (can_start_units(context)) {
    examine_unit(context, problems, findings);
  }
}

namespace {

constexpr std::size_t kNamedPlugins = 5;

// Version 1.0.0 published what was in a source without a question.
void examine_secrets(Context& context, Findings& findings) try {
  const pawn::TextReader texts = scan::text_reader();
  std::map<std::string, std::string> found;  // by plugin and version, the first
  context.plugins().each_text(std::nullopt, [&](const db::StoredText& text) {
    const std::vector<std::string> secrets = scan::secrets_of(text.file, texts);
    if (!secrets.empty()) found.emplace(text.slug + " " + text.version, secrets.front());
  });
  if (found.empty()) return;
  std::vector<std::string> named;
  for (const auto& [version, secret] : found) named.push_back(version + " (" + secret + ")");
  findings.warning(
      "private texts",
      count_of(found.size(), "published version") +
          " with what may be private: " + base::join_some(named, kNamedPlugins),
      "goldsmith plugin unpublish SLUG VERSION, unless its author wants it read; import "
      "another version without it");
} catch (const std::exception& failure) {
  findings.warning("private texts", std::string("not looked for: ") + failure.what(),
                   "goldsmith component mirror needs the same sandbox; see above");
}

// Version 1.0.0 took files of a platform, or of an owner, into plugins; and a component may have
// come later.
void examine_foreign_files(Context& context, Findings& findings) {
  const domain::FileOwners owners = scan::file_owners(context.database());
  std::vector<std::string> found;
  context.plugins().each_version([&](const db::PluginName& plugin,
                                     const domain::PluginVersion& version) {
    const std::vector<std::string> files = scan::foreign_files(version, owners);
    if (files.empty()) return;
    found.push_back(plugin.slug.str() + " " + version.version.str() + " (" + files.front() + ")");
  });
  if (found.empty()) return;
  findings.warning("foreign files",
                   count_of(found.size(), "published version") +
                       " with a file that is not the plugin's, which is left out of downloads: " +
                       base::join_some(found, kNamedPlugins),
                   "import another version without it; goldsmith plugin check names all");
}

// Version 1.0.0 took what was imported last for the latest.
void examine_latest_versions(Context& context, Findings& findings) {
  const std::vector<db::LowerLatest> lower = context.plugins().lower_latest();
  if (lower.empty()) return;
  std::vector<std::string> names;
  for (const db::LowerLatest& each : lower) {
    names.push_back(each.slug + " (" + each.latest + " over " + each.highest + ")");
  }
  findings.warning("latest versions",
                   count_of(lower.size(), "plugin") +
                       " with a latest version that has a lower number than another: " +
                       base::join_some(names, kNamedPlugins),
                   "if it is wrong, give the versions in the manifest their \"created_at\", and "
                   "import it again");
}

void examine_held_versions(Context& context, Findings& findings) {
  const domain::Catalog catalog = context.components().load_catalog();
  std::vector<std::string> names;
  for (const domain::Component& component : catalog.components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      if (!version.held) continue;
      names.push_back(component.slug + " " + version.version + " (" + version.held->reason + ")");
    }
  }
  if (names.empty()) return;
  findings.warning("held versions",
                   count_of(names.size(), "version") +
                       " of components that only those get who pin "
                       "it: " +
                       base::join_some(names, kNamedPlugins),
                   "goldsmith component release SLUG VERSION, or mirror one that runs");
}

// What a restored backup has brought back. Where nothing was withdrawn, there is no file.
void examine_withdrawals(Context& context, Findings& findings) {
  const Withdrawals record = context.withdrawals();
  try {
    const std::size_t count = record.brought_back(db::public_names(context.database())).size();
    if (count == 0) return findings.good("withdrawals", record.file().native());
    findings.bad(
        "withdrawals",
        count_of(count, "name") + " in " + record.file().native() +
            " that were withdrawn are public again: was the database restored?",
        "goldsmith db withdraw --dry-run lists them, goldsmith db withdraw withdraws them");
  } catch (const base::FileError& error) {
    if (error.error_number() == ENOENT) return;
    findings.warning("withdrawals", error.what(), "let root read and write it: chmod 640");
  }
}

}  // namespace

void examine_directory(Context& context, Findings& findings) {
  examine_withdrawals(context, findings);
  examine_held_versions(context, findings);
  examine_latest_versions(context, findings);
  examine_secrets(context, findings);
  examine_foreign_files(context, findings);
  examine_followed(context, findings);
}

}  // namespace goldsmith::cli
