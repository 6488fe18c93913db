// The query string that asks for the same build again (decision S9).
#pragma once

#include <string>

#include "app/creator/selection.hpp"

namespace goldsmith::creator {

// Percent-encoded but for `,` and `@`, which a query may hold and a person can read.
std::string download_query(const SelectionRequest& request, const Selection& selection);

}  // namespace goldsmith::creator
