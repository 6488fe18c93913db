// What a person should know of the repositories that are followed: a list, and doctor's check
// (examine_followed(), see doctor.hpp).
#pragma once

#include "app/cli/command.hpp"
#include "app/cli/context.hpp"

namespace goldsmith::cli {

// Throws as FollowedRepositories::list() does.
void list_followed(const Arguments& arguments, Context& context);

}  // namespace goldsmith::cli
