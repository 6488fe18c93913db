// Which files of a build are their owner's to edit (decision S28).
#pragma once

#include <string>

#include "app/creator/plan.hpp"

namespace goldsmith::creator {

// The paths of a plan's configuration, sorted, one a line: of components by their manifests, of
// plugins by the names, and whatever an optimized build tunes. What the service generates is none:
// a build does not load without it.
std::string configuration_list(const Plan& plan);

}  // namespace goldsmith::creator
