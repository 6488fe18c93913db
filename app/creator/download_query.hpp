// The query string that reproduces a build (decision S9).
#pragma once

#include <string>

#include "app/creator/selection.hpp"

namespace goldsmith::creator {

// Percent-encoded except for `,` and `@`, which are legal in a query and easier to read.
std::string download_query(const SelectionRequest& request, const Selection& selection);

// The request as it is, in canonical order: what is not pinned follows the latest version. "" for
// the recommended stack alone.
std::string request_query(const SelectionRequest& request);

}  // namespace goldsmith::creator
