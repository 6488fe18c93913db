// The SHA-256 of server archives, by build hash, and what their start showed. The worker that
// delivered an archive first computes the digest once for all hosts, after its response, and then
// has the archive started: no build and no download waits for either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "app/archive/archive_cache.hpp"
#include "app/base/clock.hpp"
#include "app/creator/plan.hpp"
#include "app/host/shared_file.hpp"
#include "db/download_log.hpp"

namespace goldsmith::creator {

class ArchiveDigests {
 public:
  // The row of the lock file that whoever starts the archives that nobody has started yet holds:
  // one process of a host at a time. Archives have rows below.
  static constexpr std::size_t kStarterRow = std::size_t{1} << 40;
  // Where the queue of all who start servers begins in that file, behind its rows.
  static constexpr std::int64_t kStartQueue = std::int64_t{1} << 51;

  struct Dependencies {
    db::BuildStore& builds;
    const archive::ArchiveCache& cache;
    const base::Clock& clock;
  };
  // Files that the processes of a host share. `lock` is made if it is missing: only one of them
  // reads an archive. `start_request` is what goldsmith-build-start.path waits for.
  struct Files {
    std::filesystem::path lock;
    std::filesystem::path start_request;
  };
  // Throws base::FileError.
  ArchiveDigests(Dependencies dependencies, Files files)
      : dependencies_(dependencies),
        readers_(files.lock),
        start_request_(std::move(files.start_request)) {}

  // In hex; "" while it is not known, or if the database can't be asked.
  std::string find(const std::string& build_hash);
  // What is known of an archive that was handed out or started. Asked for again until its start is
  // known.
  struct Archive {
    std::string sha256;                   // as of find()
    std::optional<db::BuildStart> start;  // absent = not known, or it could not be tried
  };
  Archive find_archive(const std::string& build_hash);

  struct Known {
    std::string selection;     // a query string; gives the build hash unless something changed
    bool is_paid_for = false;  // a caller paid for its build a moment ago, perhaps on another host
  };
  // std::nullopt if no archive with that build hash, or one that leads to it, was handed out.
  // Throws db::Error.
  std::optional<Known> find_known(const std::string& build_hash);

  // Whether there is one; false if the database can't be asked.
  bool is_known(const std::string& build_hash);

  // Makes the build hash known on all hosts, so that each of them can answer at its address.
  // `is_built`: it was built for this. Throws db::Error.
  void publish(const Plan& plan, bool is_built);

  // Makes the build that the plan's archive leads to known on all hosts: what has its files may be
  // brought up to date from it (decision S31). Says nothing about its archive. A failure is logged.
  void note_build(const Plan& plan);
  // The same of a build of which no archive was handed out, for ten new ones a minute.
  void note_asked(const Plan& plan);
  // So that the plan's build is one of those at the address of its selection (decision S44); each
  // counts as one of those ten. Precondition: the plan is not that of a partial archive.
  void note_address(const Plan& plan);

  // Makes compute_pending() compute the digest of this plan's archive, unless it is known.
  void schedule(const Plan& plan);

  // Computes the scheduled digest, unless another process is doing it. To be called when no
  // response is waiting. A failure is logged; the digest is computed when it is scheduled the next
  // time.
  void compute_pending();

 private:
  void compute(db::Build build);
  // Whether this process recorded it within a day: a build, or one of a selection.
  bool is_noted(const std::string& name) const;
  void set_noted(const std::string& name);
  bool may_note();  // another one of those that were only asked for
  // From the database, and kept; null if it is not there, or can't be asked.
  const db::Build* look_up(const std::string& build_hash);

  Dependencies dependencies_;
  host::HostSemaphore readers_;  // a row for each build hash, of one slot
  std::filesystem::path start_request_;
  std::unordered_map<std::string, db::Build> known_;
  std::unordered_map<std::string, domain::Timestamp> noted_;  // when
  domain::Timestamp asked_since_{};
  int asked_ = 0;
  std::optional<db::Build> pending_;
};

}  // namespace goldsmith::creator
