// The components and overlays that come with goldsmith, for imports with --defaults.
#pragma once

#include <string>
#include <vector>

#include "app/cli/context.hpp"

namespace goldsmith::cli {

// The manifests of the default catalog. Throw Failure, which names the missing file and the
// remedy.
std::vector<std::string> default_component_files(Context& context);
std::vector<std::string> default_overlay_files(Context& context);

// The given FILEs, or those of the default catalog. Throws UsageError for both or neither.
std::vector<std::string> files_or_defaults(const Arguments& arguments,
                                           std::vector<std::string> (*defaults)(Context&),
                                           Context& context);

}  // namespace goldsmith::cli
