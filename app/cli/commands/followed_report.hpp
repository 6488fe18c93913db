// What a person is told of repositories that are followed: what became of one that was mirrored, a
// list, and doctor's check (examine_followed(), see doctor.hpp).
#pragma once

#include <ostream>
#include <string>

#include "app/cli/command.hpp"
#include "app/cli/context.hpp"
#include "app/scan/followed_run.hpp"

namespace goldsmith::cli {

// Prints it. `out` must outlive what it returns.
scan::FollowedRun::Tell printed_on(std::ostream& out);
// Throws as FollowedRepositories::list() does.
void list_followed(const Arguments& arguments, Context& context);

// A commit as it is shown.
std::string short_commit(const std::string& commit);

}  // namespace goldsmith::cli
