// The fingerprint of a server archive: equal hashes mean equal bytes, on every host (decision S8).
#pragma once

#include <string>
#include <vector>

#include "app/creator/plan.hpp"

namespace goldsmith::creator {

// SHA-256 in hex of everything that determines the archive: the components with the digests of
// their mirrored content, the compiled plugins with files in it, and every file given as bytes.
// `files` must be in archive order.
std::string build_hash(const Selection& selection, const std::vector<const PluginOutcome*>& plugins,
                       const std::vector<PlannedFile>& files);

}  // namespace goldsmith::creator
