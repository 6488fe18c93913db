// The way back from the last run (decision S24).
#pragma once

#include <string>

#include "app/owner/program.hpp"

namespace goldsmith::owner {

struct RollbackOptions {
  std::string folder;
  bool is_dry_run = false;
  bool asks = true;
};

// Files and lists as they were before the last run, from what `.goldsmith` keeps: nothing is
// fetched. What was edited since stays. Throws Stop.
void roll_back(const Caller& caller, const RollbackOptions& options);

}  // namespace goldsmith::owner
