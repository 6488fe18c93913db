#include <cerrno>
#include <chrono>

#include "app/access/drain_mark.hpp"
#include "app/access/shared_state.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"
#include "db/log_pruning.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLittleSpace = 2ULL
                                       << 30;  // bytes; a server archive may have hundreds of MB

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
  if (const auto since = access::DrainMark(path).since()) {
    findings.warning("service",
                     "this host is drained since " + domain::format_timestamp(*since) +
                         ": fronts send it no requests",
                     "goldsmith undrain, once it is good");
  }
  try {
    const access::SharedState state(path, access::SharedState::Open::existing);
    findings.good("shared state", path.native());
  } catch (const sys::FileError& failure) {
    if (failure.error_number() == ENOENT) {
      return findings.warning("shared state", failure.what(),
                              "the first worker writes it: systemctl start goldsmith.target");
    }
    findings.bad("shared state", failure.what(),
                 "remove it; systemd-tmpfiles --create goldsmith.conf; goldsmith-workers restart");
  }
}

}  // namespace

bool examine_disk(const std::string& subject, const fs::path& folder, const std::string& remedy,
                  Findings& findings) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error) return false;
  const std::string text = folder.native() + ", " + sys::readable_size(space.available) + " free";
  if (space.available < kLittleSpace) {
    findings.warning(subject, text, remedy);
  } else {
    findings.good(subject, text);
  }
  return true;
}

void examine_service(Context& context, Findings& findings) {
  if (examine_database(context, findings)) {
    examine_directory(context, findings);
    examine_depot(context, findings);
    examine_log(context, findings);
  }
  examine_folder("depot disk", context.config().depot, findings);
  examine_folder("archive cache", context.config().archive_cache, findings);
  examine_folder("plugin cache", context.config().artefact_cache, findings);
  examine_logs(findings);
  examine_state(context, findings);
}

}  // namespace goldsmith::cli
