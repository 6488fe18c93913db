// The query string that reproduces a build (decision S9).
#pragma once

#include <string>

#include "app/creator/selection.hpp"

namespace goldsmith::creator {

// Percent-encoded except for `,` and `@`, which are legal in a query and easier to read.
std::string download_query(const SelectionRequest& request, const Selection& selection);

}  // namespace goldsmith::creator
