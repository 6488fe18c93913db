// Whether the recommended server runs with published versions of plugins (decision P24).
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/creator/server_builds.hpp"
#include "app/directory/check_host.hpp"
#include "app/domain/plugin.hpp"
#include "app/host/turn_queue.hpp"
#include "app/start/host.hpp"
#include "app/start/server_start.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::start {

// Of a plan or a report; null if it has none of that slug.
template <typename Plugin>
const Plugin* find_plugin(const std::vector<Plugin>& plugins, const domain::Slug& slug) {
  const auto found =
      std::ranges::find_if(plugins, [&](const Plugin& each) { return each.slug == slug.view(); });
  return found == plugins.end() ? nullptr : &*found;
}

// What a start showed of a version.
struct StartedVersion {
  const db::CheckableVersion* version = nullptr;
  domain::StartVerdict verdict;
};

// Starts the recommended server of each line that compiles a version with it and what it requires.
// Versions that can't disturb each other share a start, which is proof of what runs there. What
// does not is started alone: each fault is its own, whatever neighbours say (rule S37).
class PluginStarts {
 public:
  // `most_of_source`: what a source, all versions of a repository or of a plugin, may take in one
  // call with what does not run; the others wait for the next.
  // `checker` is a host of this one's configuration; it must outlive the object.
  PluginStarts(directory::CheckHost& checker, Host host,
               std::chrono::milliseconds most_of_source = std::chrono::minutes(5));

  // The lines with which the catalog has a platform that can be chosen: no other one is started.
  std::set<std::string> lines() const;

  // Starts those of the versions that are not known, or all; stores each verdict at once, and says
  // what it could say nothing about, which is left to the next call. `tell` is told how many were
  // started of how many. Throws Unavailable if this host can start nothing, base::FileError,
  // base::Interrupted and db::Error.
  std::vector<StartedVersion> start(
      const std::vector<db::CheckableVersion>& versions, bool again,
      const std::function<void(std::size_t done, std::size_t total)>& tell);

  // Measures what those of the versions that play take of a frame (rule S53), unless it is known,
  // or of all that do, and stores each at once. Each has a server of its own: what plugins do and
  // print beside it can't make it dearer. Takes twenty seconds for one, of which few are a
  // processor's, and ten minutes at most. Otherwise as start().
  std::vector<StartedVersion> measure(
      const std::vector<db::CheckableVersion>& versions, bool again,
      const std::function<void(std::size_t done, std::size_t total)>& tell);

  // Stores what other hosts found (`told`) where start() would start the same again, for versions
  // that are not known, and returns how many. Starts nothing. Throws base::FileError and db::Error.
  std::size_t take(
      const std::vector<db::CheckableVersion>& versions,
      const std::function<std::vector<domain::StartVerdict>(const db::CheckableVersion& version)>&
          told);

 private:
  // No verdict, because of this host or of the moment.
  class NoVerdict : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };

  using Group = std::vector<const db::CheckableVersion*>;
  struct Line {
    std::string name;
    std::string platform;                                           // the component
    std::shared_ptr<const creator::ResolvedPlan> server = {};       // without any of them
    std::string basis = {};                                         // of what is the same for all
    Group versions = {};                                            // to start
    Group unplayed = {};                                            // that run, and were not played
    Group unmeasured = {};                                          // that play
    std::map<const db::CheckableVersion*, std::string> bases = {};  // of what each is started with
    std::string player = {};                                        // "" = nobody plays there
  };
  struct Verdict {
    domain::StartVerdict::Result result;
    std::vector<std::string> messages = {};
    std::optional<std::string> play_error = {};
  };

  // With which of its compiles it runs; null if it does not compile with that.
  static const domain::CompileVerdict* compiled(const db::CheckableVersion& version,
                                                const std::string& line,
                                                const std::string& fingerprint);
  // Null if it was not started with that.
  static const domain::StartVerdict* known_start(const db::CheckableVersion& version,
                                                 const std::string& line, const std::string& basis);
  // The component; null if there is none.
  static const domain::Component* platform_of(const std::string& line,
                                              const domain::Catalog& catalog);
  // Calls `use` with each line of which the recommended server can be built and that has versions
  // of which something is not known, or with `again` any. Why another one has no server is said,
  // as is what `use` throws of Unbuildable, NoVerdict and NotTried.
  void each_line(const std::vector<db::CheckableVersion>& versions, bool again,
                 const std::function<void(Line& line)>& use);
  // Adds to `line`, whose server this finds, the versions that compile with it and are not known,
  // not played or not measured. Throws Unbuildable and NoVerdict where there is no server.
  void find_versions(Line& line, const std::vector<db::CheckableVersion>& versions, bool again);
  std::string basis_of(const Line& line, const domain::CompileVerdict& verdict,
                       const creator::Providers& providers) const;
  // Finds out what plays there. Throws Unbuildable and NotTried if the server does not start.
  void prepare(Line& line);
  std::vector<Group> groups(const Line& line);
  bool may_share(const db::CheckableVersion& version, const std::string& line);
  void start_group(const Line& line, const Group& group);
  void start_together(const Line& line, const Group& group);
  Group running(const Line& line, const Group& group, const std::string& player);
  void start_alone(const Line& line, const db::CheckableVersion& version);
  void play_alone(const Line& line, const db::CheckableVersion& version, const creator::Plan& plan,
                  const Report& started);
  std::string who_has_library(const Line& line, const db::CheckableVersion& version,
                              const LoadedPlugin* loaded);
  bool is_beyond_sandbox(const Line& line, const db::CheckableVersion& version,
                         const Report& report) const;
  // player_for(), when this host may compile it. Throws Refused, too: after ten minutes in all.
  std::string player_of(const creator::Plan& plan);
  std::string find_player(const Line& line, const creator::Plan& plan);
  void measure(const Line& line, const db::CheckableVersion& version);
  // Why some were not: `what` = "tried", `next` = "check".
  void report_left(const std::string& what, const std::string& next) const;
  void record(const Line& line, const db::CheckableVersion& version, Verdict found);
  std::shared_ptr<const creator::ResolvedPlan> resolve(const std::string& platform,
                                                       const Group& group);
  // Calls `use`, which starts a server, when it is this process's turn. Throws NoVerdict where this
  // host lacks a file, and Unavailable.
  void in_turn(const std::function<void()>& use);
  Report start_in_turn(const creator::Plan& plan, const StartLimits& limits,
                       const std::string& player);
  std::string source_of(const db::CheckableVersion& version);

  directory::CheckHost& checker_;
  Host host_;
  std::chrono::milliseconds most_of_source_;
  std::chrono::seconds patience_ = std::chrono::minutes(10);  // with the limits of compiles
  base::TempDir own_;
  base::Config config_;
  creator::ServerBuilds builds_;
  host::TurnQueue turns_;
  std::map<std::string, std::string> fingerprints_;  // by line
  // What each source has taken with what does not run.
  std::map<std::string, std::chrono::milliseconds> taken_;
  std::vector<StartedVersion> started_;
  std::map<std::string, std::size_t> left_;  // to the next call, by why
  std::function<void()> tell_;
};

}  // namespace goldsmith::start
