// A run over repositories that are followed (decisions P26, P27): which ones, and what is noted of
// each.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/scan/mirroring.hpp"

namespace goldsmith::scan {

// What is followed, and what manifests name as upstreams of their plugins beside that, those first
// that were never tried, or longest ago. `slug`: those alone that the plugin comes from.
std::vector<FollowedRepository> repositories_of(const FollowedRepositories& followed,
                                                const std::optional<domain::Slug>& slug,
                                                const Host& host);

// Ends what a repository, followed or named by manifests alone, is for the plugins of the
// directory, unless it is followed in another folder, too: their upstream is none. Returns their
// slugs.
std::vector<std::string> forget_upstream(const FollowedRepository& repository,
                                         const FollowedRepositories& followed, const Host& host);

class FollowedRun {
 public:
  // Is told what becomes of a repository: that it was mirrored, is another one that is followed,
  // or fails for good from this run on (FollowedRepository::is_known_to_fail()).
  using Tell = std::function<void(const FollowedRepository& repository, const MirrorReport&)>;
  // Whether a failure is reported, and the next repository follows; and whether one that fails for
  // good is no failure of the run.
  enum class Failures { end, are_counted };
  FollowedRun(const FollowedRepositories& followed, Failures failures, std::size_t count,
              const Host& host, Tell tell)
      : followed_(followed),
        failures_(failures),
        count_(count),
        host_(host),
        tell_(std::move(tell)) {}

  // Mirrors one, tells and notes what became of it. That it is tried is noted before: a run that
  // is killed in it does not begin with it the next time. `is_new`: of a failure nothing stays.
  void mirror(FollowedRepository repository, bool is_new, PluginMirroring& mirroring,
              const PluginMirroring::Request& request);
  // The same for whatever else may fail.
  void visit(const FollowedRepository& repository, const std::function<void()>& what);
  bool is_all_well() const { return failed_ + not_asked_ == 0; }
  // Throws Failure unless all is well.
  void finish() const;

 private:
  void try_to_mirror(FollowedRepository& repository, PluginMirroring& mirroring,
                     const PluginMirroring::Request& request);
  void merge(FollowedRepository& repository, const FollowedRepository& other);
  void note_lasting(FollowedRepository& repository, bool is_gone);
  // That nothing was mirrored, and what became of plugins by that.
  void tell_ended(const FollowedRepository& repository, MirrorEvent why,
                  std::vector<MirrorEvent> plugins = {}) const;

  const FollowedRepositories& followed_;
  Failures failures_;
  std::size_t count_;
  const Host& host_;
  Tell tell_;
  std::size_t failed_ = 0;
  std::size_t not_asked_ = 0;
  domain::Timestamp quota_end_{};
};

}  // namespace goldsmith::scan
