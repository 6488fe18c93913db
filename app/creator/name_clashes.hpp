// Files of a server that only Linux tells apart (decision S43).
#pragma once

#include <vector>

#include "app/creator/plan.hpp"

namespace goldsmith::creator {

// Adds a note to each plugin that has files whose paths differ from others of the server in letter
// case or Unicode form alone: unpacked on Windows or macOS, one replaces the other. Those of equal
// content do not count. Of two plugins the later slug has the note, which names a few files.
void note_name_clashes(const std::vector<PlannedFile>& files,
                       std::vector<RequestedPlugin>& requested);

}  // namespace goldsmith::creator
