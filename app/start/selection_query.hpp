// A selection that is written as a query string: that of a link, of a build that was recorded, or
// of a pack.
#pragma once

#include <string>
#include <vector>

#include "app/creator/selection.hpp"

namespace goldsmith::start {

// What it asks for.
creator::SelectionRequest request_of(const std::string& query);
// What it names that is no part of a selection: the first eight.
std::vector<std::string> unknown_parameters(const std::string& query);

}  // namespace goldsmith::start
