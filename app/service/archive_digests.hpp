// The SHA-256 of server archives, by build hash. It is taken once for all hosts, by the worker that
// handed the archive out first, after its response: no build and no download waits for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "app/archive/archive_cache.hpp"
#include "app/creator/plan.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/seats.hpp"
#include "db/build_store.hpp"

namespace goldsmith::service {

class ArchiveDigests {
 public:
  struct Dependencies {
    db::BuildStore& builds;
    const archive::ArchiveCache& cache;
    const sys::Clock& clock;
  };
  // `lock_file` is made if it is missing; the processes of a host share it, so that only one of
  // them reads an archive. Throws sys::FileError.
  ArchiveDigests(Dependencies dependencies, const std::filesystem::path& lock_file)
      : dependencies_(dependencies), readers_(lock_file) {}

  // In hex; "" while it is not known. A database that can't be asked is no failure: "" then.
  std::string find(const std::string& build_hash);

  struct Known {
    std::string selection;     // a query string; gives the build hash unless something changed
    bool is_paid_for = false;  // a caller paid for its build a moment ago, perhaps on another host
  };
  // std::nullopt if no archive with that build hash was downloaded. Throws db::Error.
  std::optional<Known> find_known(const std::string& build_hash);

  // Makes the build hash known on all hosts at once, for who comes to its address. `is_built`: it
  // was built for this. Throws db::Error.
  void make_known(const creator::Plan& plan, bool is_built);

  // The archive of this plan is being handed out: its digest is to be taken if it is not known.
  void want(const creator::Plan& plan);

  // Takes what is wanted, unless another process is doing it. For when no response is waiting. What
  // fails is logged, and tried again when the archive is handed out the next time.
  void take_wanted();

 private:
  void take(const db::Build& wanted);

  Dependencies dependencies_;
  sys::Seats readers_;  // a row for each build hash
  std::unordered_map<std::string, std::string> known_;
  std::unordered_set<std::string> made_known_;
  std::optional<db::Build> wanted_;
};

}  // namespace goldsmith::service
