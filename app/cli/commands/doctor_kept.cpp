#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/cli/host_files.hpp"
#include "app/cli/output.hpp"
#include "app/scan/followed.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamed = 5;
constexpr std::chrono::days kOldBackup{8};  // a week's, and a day

// What is known of repositories is beside the database: a database that was restored without it
// has plugins of repositories that nothing follows.
void examine_upstreams(Context& context, Findings& findings) try {
  constexpr const char* kSubject = "followed plugins";
  const base::Config& config = context.config();
  if (config.mirror.publish_plugins == base::PublishPlugins::never) return;
  const auto upstreams = context.plugins().upstreams();
  if (upstreams.empty()) return;
  std::error_code error;
  std::optional<scan::FollowedRepositories> followed;
  if (fs::exists(config.followed, error)) {
    followed.emplace(config.followed, scan::FollowedRepositories::Access::reads);
  }
  std::vector<std::string> lost;
  for (const auto& [slug, upstream] : upstreams) {
    domain::PluginUpstream wanted = upstream;
    wanted.forget_findings();
    if (!followed || !followed->find(wanted)) {
      lost.push_back(slug + " (" + wanted.repository + ")");
    }
  }
  constexpr const char* kTimer = "goldsmith-plugin-mirror.timer";
  if (fs::exists("/run/systemd/system", error) && can_start_units(context) &&
      !ask({"/usr/bin/systemctl", "is-active", kTimer}).good) {
    findings.warning(kSubject, std::string(kTimer) + " is not active: nothing follows them",
                     std::string("systemctl enable --now ") + kTimer);
  }
  if (lost.empty()) {
    return findings.good(kSubject, count_of(upstreams.size(), "plugin") + " with an upstream");
  }
  findings.warning(
      kSubject,
      fmt::format("of {} with an upstream, {} does not follow {}: {}",
                  count_of(upstreams.size(), "plugin"), config.followed.native(), lost.size(),
                  base::join_some(lost, kNamed)),
      "restore that folder from a backup, with the answers in it; or begin anew: goldsmith plugin "
      "follow REPOSITORY for a collection, goldsmith plugin mirror --all for what manifests name");
} catch (const std::exception& failure) {
  findings.bad("followed plugins", failure.what(), "goldsmith plugin follow");
}

// Where the command never made one, others may.
void examine_last_backup(Context& context, Findings& findings) {
  constexpr const char* kSubject = "backup";
  constexpr std::size_t kTime = 19;
  const fs::path file = last_backup_file(context.config());
  std::string text;
  try {
    text = base::read_file(file, 1U << 16);
  } catch (const base::FileError&) {
    return;
  }
  const auto time = domain::parse_timestamp(std::string_view(text).substr(0, kTime));
  if (!time) return;
  const std::string last = "the last one is of " + std::string(base::trim_ascii(text));
  if (context.now() - *time > kOldBackup) {
    findings.warning(kSubject, last, "goldsmith backup FOLDER; is its timer still active?");
  } else {
    findings.good(kSubject, last);
  }
}

}  // namespace

void examine_kept(Context& context, Findings& findings) {
  examine_upstreams(context, findings);
  examine_last_backup(context, findings);
}

}  // namespace goldsmith::cli
