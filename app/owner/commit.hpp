// Changes of a server's folder, made all or not at all (decision S24). Until
// `.goldsmith/work/commit` is there nothing has changed; from then on each change is one rename,
// which can be repeated and taken back.
#pragma once

#include <optional>
#include <string>

#include "app/owner/installation.hpp"
#include "app/owner/state.hpp"

namespace goldsmith::owner {

// Makes changes whose new files are in kNew at their paths, and remembers `next`; of the changes
// "undone" all that is remembered is forgotten. What stands in the way is looked for before; if
// something does nevertheless, what was changed is changed back. Throws Stop, then.
void commit(const Installation& installation, const Changes& changes,
            const std::optional<InstalledState>& next);

// Finishes what an interrupted run committed, or takes it back if it can't be finished; removes
// what it left otherwise, but for its download. Throws Stop if neither is possible.
void recover(const Installation& installation);

// Checks what is remembered; takes the lock and recovers first, except for a dry run. False, and
// says so, if that would have to recover. Throws Stop.
bool begin_run(Installation& installation, const std::string& service, bool is_dry_run);

// Removes what a run without a commit made, but for its download.
void discard_work(const Installation& installation);

}  // namespace goldsmith::owner
