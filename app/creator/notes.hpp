// What a caller should know about a stack that is valid all the same (decision S11).
#pragma once

#include <string>
#include <vector>

#include "app/creator/selection.hpp"

namespace goldsmith::creator {

// Recommended components that are not selected, then the components' own advice, in load order.
std::vector<std::string> component_notes(const Selection& selection);

}  // namespace goldsmith::creator
