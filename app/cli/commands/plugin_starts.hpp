// Whether the recommended server runs with published versions of plugins (decision P24).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/base/file.hpp"
#include "app/cli/commands/plugin_check.hpp"
#include "app/cli/commands/starts.hpp"
#include "app/cli/context.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/plugin.hpp"
#include "app/host/shared_file.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::cli {

// What a start showed of a version.
struct StartedVersion {
  const db::CheckableVersion* version = nullptr;
  domain::StartVerdict verdict;
};

// Starts the recommended server of each line that compiles a version with it and what it requires.
// Versions that can't disturb each other share a start; what does not run there is started alone,
// so that each fault is its own.
class PluginStarts {
 public:
  PluginStarts(CheckHost& host, Context& context);

  // Starts those of the versions that are not known, or all; stores each verdict at once. `tell` is
  // told how many were started of how many. Throws start::Unavailable if this host can start
  // nothing, base::FileError, base::Interrupted and db::Error.
  std::vector<StartedVersion> start(
      const std::vector<db::CheckableVersion>& versions, bool again,
      const std::function<void(std::size_t done, std::size_t total)>& tell);

 private:
  using Group = std::vector<const db::CheckableVersion*>;
  struct Line {
    std::string name;
    std::string platform;  // the component
    std::string basis;
    Group versions;  // to start
  };

  std::vector<Line> lines(const std::vector<db::CheckableVersion>& versions, bool again);
  std::vector<Group> groups(const Line& line);
  bool may_share(const db::CheckableVersion& version, const std::string& line);
  void start(const Line& line, const Group& group);
  void start_parts(const Line& line, const Group& group, std::size_t size);
  void record(const Line& line, const db::CheckableVersion& version,
              domain::StartVerdict::Result result, std::vector<std::string> messages);
  std::shared_ptr<const creator::ResolvedPlan> resolve(const std::string& platform,
                                                       const Group& group);
  start::Report start_alone_on_host(const creator::Plan& plan);

  CheckHost& host_;
  Context& context_;
  base::TempDir own_;
  base::Config config_;
  creator::ServerBuilds builds_;
  db::VerdictStore verdicts_;
  host::HostSemaphore starters_;
  std::map<std::string, std::string> fingerprints_;  // by line
  std::vector<StartedVersion> started_;
  std::function<void()> tell_;
};

}  // namespace goldsmith::cli
