// The SHA-256 of server archives, by build hash. The worker that delivered an archive first
// computes it once for all hosts, after its response: no build and no download waits for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "app/archive/archive_cache.hpp"
#include "app/base/clock.hpp"
#include "app/creator/plan.hpp"
#include "app/host/shared_file.hpp"
#include "db/download_log.hpp"

namespace goldsmith::creator {

class ArchiveDigests {
 public:
  struct Dependencies {
    db::BuildStore& builds;
    const archive::ArchiveCache& cache;
    const base::Clock& clock;
  };
  // `lock_file` is made if it is missing; the processes of a host share it, so that only one of
  // them reads an archive. Throws base::FileError.
  ArchiveDigests(Dependencies dependencies, const std::filesystem::path& lock_file)
      : dependencies_(dependencies), readers_(lock_file) {}

  // In hex; "" while it is not known, or if the database can't be asked.
  std::string find(const std::string& build_hash);

  struct Known {
    std::string selection;     // a query string; gives the build hash unless something changed
    bool is_paid_for = false;  // a caller paid for its build a moment ago, perhaps on another host
  };
  // std::nullopt if no archive with that build hash was downloaded. Throws db::Error.
  std::optional<Known> find_known(const std::string& build_hash);

  // Makes the build hash known on all hosts, so that each of them can answer at its address.
  // `is_built`: it was built for this. Throws db::Error.
  void publish(const creator::Plan& plan, bool is_built);

  // Makes compute_pending() compute the digest of this plan's archive, unless it is known.
  void schedule(const creator::Plan& plan);

  // Computes the scheduled digest, unless another process is doing it. To be called when no
  // response is waiting. A failure is logged; the digest is computed when it is scheduled the next
  // time.
  void compute_pending();

 private:
  void compute(db::Build build);

  Dependencies dependencies_;
  host::HostSemaphore readers_;  // a row for each build hash, of one slot
  std::unordered_map<std::string, std::string> known_;
  std::unordered_set<std::string> published_;
  std::optional<db::Build> pending_;
};

}  // namespace goldsmith::creator
