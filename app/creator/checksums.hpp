// The files of a build as a list for `sha256sum -c`. Pure.
#pragma once

#include <string>
#include <vector>

#include "app/creator/plan.hpp"

namespace goldsmith::creator {

// `slug version` of each component in the build that has a file without a recorded SHA-256, in load
// order.
std::vector<std::string> without_checksums(const Plan& plan);

// A line for each file, by path: equal build hashes give equal bytes. Precondition:
// without_checksums() is empty.
std::string checksum_list(const Plan& plan);

}  // namespace goldsmith::creator
