// A run over repositories that are followed (decisions P26, P27): which ones, and what is noted of
// each.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
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

// Who is told what becomes of repositories.
class RunTold {
 public:
  virtual ~RunTold() = default;

  virtual void mirrored(const FollowedRepository& repository, const MirrorReport& report) = 0;
  // It is another one that is followed, which `what` says.
  virtual void is_same(const FollowedRepository& repository, const std::string& what) = 0;
  // From this run on (FollowedRepository::is_known_to_fail()). `is_gone`: it is not there any more,
  // and neither are the plugins that came from it, `slugs`.
  virtual void fails_for_good(const FollowedRepository& repository, bool is_gone,
                              const std::vector<std::string>& slugs) = 0;
};

class FollowedRun {
 public:
  // Whether a failure is reported, and the next repository follows; and whether one that fails for
  // good is no failure of the run.
  enum class Failures { end, are_counted };
  FollowedRun(const FollowedRepositories& followed, Failures failures, std::size_t count,
              const Host& host, RunTold& told)
      : followed_(followed), failures_(failures), count_(count), host_(host), told_(told) {}

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

  const FollowedRepositories& followed_;
  Failures failures_;
  std::size_t count_;
  const Host& host_;
  RunTold& told_;
  std::size_t failed_ = 0;
  std::size_t not_asked_ = 0;
  domain::Timestamp quota_end_{};
};

}  // namespace goldsmith::scan
