// The components and overlays that come with goldsmith, and what imports them: `--defaults`.
#pragma once

#include <string>
#include <vector>

#include "app/cli/context.hpp"

namespace goldsmith::cli {

// The manifests of the default catalog. Throw Failure, which names what is missing and the way out.
std::vector<std::string> default_component_files(Context& context);
std::vector<std::string> default_overlay_files(Context& context);

// "--defaults", on the imports that have it.
Option defaults_option(const std::string& help);

// The FILEs that were given, or those of the default catalog. Throws UsageError for both or none.
std::vector<std::string> files_or_defaults(const Arguments& arguments,
                                           std::vector<std::string> (*defaults)(Context&),
                                           Context& context);

}  // namespace goldsmith::cli
