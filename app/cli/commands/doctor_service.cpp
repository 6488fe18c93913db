#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
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
  struct statvfs space{};
  if (::statvfs(folder.c_str(), &space) != 0) {
    findings.bad(subject, folder.native() + " is not there",
                 "systemd-tmpfiles --create goldsmith.conf");
    return;
  }
  const std::uint64_t free = space.f_bavail * space.f_frsize;
  const std::string text = folder.native() + ", " + sys::readable_size(free) + " free";
  if (free < kLittleSpace) {
    findings.warning(subject, text, "goldsmith cache prune, or a larger disk");
  } else {
    findings.good(subject, text);
  }
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

void examine_service(Context& context, Findings& findings) {
  if (examine_database(context, findings)) {
    examine_depot(context, findings);
    examine_log(context, findings);
  }
  examine_folder("depot disk", context.config().depot, findings);
  examine_folder("archive cache", context.config().archive_cache, findings);
  examine_folder("plugin cache", context.config().artefact_cache, findings);
  examine_state(context, findings);
}

}  // namespace goldsmith::cli
