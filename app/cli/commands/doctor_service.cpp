// doctor: the service, its sandboxes and units.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/compile/compiler.hpp"
#include "app/host/account.hpp"
#include "app/limits/freshness.hpp"
#include "app/limits/rate_windows.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "db/addon_store.hpp"
#include "db/download_log.hpp"

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

constexpr const char* kArchiveSandbox = "archive sandbox";

// As `component mirror` does with a release that has one small file.
void mirror_a_probe(const base::MirrorConfig& limits) {
  const base::TempDir folder;
  const std::filesystem::path probe = folder.path() / "probe.zip";
  base::write_atomically(probe, archive::zip_in_memory({{"probe", "probe", false}}));
  mirror::normalise({probe}, {}, limits, folder.path() / "result.zip");
}

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

}  // namespace goldsmith::cli
