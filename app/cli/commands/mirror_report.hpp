// What commands print of repositories that are mirrored.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "app/scan/followed_run.hpp"

namespace goldsmith::cli {

// `out` must outlive what it returns.
scan::FollowedRun::Tell printed_on(std::ostream& out);

// A commit as it is shown.
std::string short_commit(const std::string& commit);

}  // namespace goldsmith::cli
