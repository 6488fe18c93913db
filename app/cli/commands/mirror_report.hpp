// What commands print of repositories that are mirrored.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "app/scan/followed_run.hpp"

namespace goldsmith::cli {

class PrintedRun : public scan::RunTold {
 public:
  explicit PrintedRun(std::ostream& out) : out_(out) {}

  void mirrored(const scan::FollowedRepository& repository,
                const scan::MirrorReport& report) override;
  void is_same(const scan::FollowedRepository& repository, const std::string& what) override;
  void fails_for_good(const scan::FollowedRepository& repository, bool is_gone,
                      const std::vector<std::string>& slugs) override;

 private:
  std::ostream& out_;
};

// A commit as it is shown.
std::string short_commit(const std::string& commit);

}  // namespace goldsmith::cli
