// The fingerprint of a server archive (decision S8).
#pragma once

#include <string>
#include <vector>

#include "app/creator/plan.hpp"

namespace goldsmith::creator {

// SHA-256, in hex, over all that the archive is made of: the components with the digests of their
// mirrored content, the plugins that have files in it, and every file that is given as bytes.
// `files` must be in the order of the archive.
std::string build_hash(const Selection& selection, const std::vector<const PluginOutcome*>& plugins,
                       const std::vector<PlannedFile>& files);

}  // namespace goldsmith::creator
