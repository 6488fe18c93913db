// Remarks about a valid stack for the caller (decision S11).
#pragma once

#include <string>
#include <vector>

#include "app/creator/selection.hpp"

namespace goldsmith::creator {

// Recommended components that are not selected, followed by the advice of the components, in load
// order; what is true for the selected versions (decision S3).
std::vector<std::string> component_notes(const Selection& selection);

}  // namespace goldsmith::creator
