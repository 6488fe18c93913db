// When the files of a build changed last (decision S38). Pure.
#pragma once

#include <string_view>
#include <vector>

#include "app/creator/plan.hpp"
#include "app/creator/plugin_files.hpp"
#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::creator {

// Of the files that a version ships; archive::kNoTime if nobody knows.
domain::Timestamp time_of(const domain::ComponentVersion& version);
domain::Timestamp time_of(const domain::PluginVersion& version);

// Of a file with that digest that is made of parts, the newest of which is of `newest`: up to an
// hour before, which another content makes another time, even one of the same size and parts.
domain::Timestamp time_made(domain::Timestamp newest, std::string_view sha256);

// Sets the time of each file. `plugins`: those with files among them.
void set_times(const Selection& selection, const std::vector<const PluginOutcome*>& plugins,
               FileSet& files);

}  // namespace goldsmith::creator
