// What would stop changes in the middle, looked for before the first one.
#pragma once

#include "app/owner/installation.hpp"
#include "app/owner/state.hpp"

namespace goldsmith::owner {

// Whether each file can be replaced: it is no mount, it may be changed (chattr +i), its folder may
// be written in, and where that is another file system there is room. Throws Stop, and changes
// nothing.
void refuse_obstacles(const Installation& installation, const Changes& changes);

// The number of a process that runs in the folder, as a server does; 0 if this user sees none.
int running_in(const Installation& installation);

}  // namespace goldsmith::owner
