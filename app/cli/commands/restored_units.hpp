// The units of goldsmith while a backup is restored: none of them may read or write meanwhile.
#pragma once

#include "app/cli/context.hpp"

namespace goldsmith::cli {

// On hosts without systemd they do nothing.

// Stops all of them, what timers have begun, too. Throws Failure unless all of them have ended.
void stop_units();
// Throws Failure, which names them and the command that stops them, if one of them runs.
void refuse_running_units();
// Starts the timers and path units that are enabled, as a boot does: also those of the operator,
// which setup does not know. What can't be started is reported.
void start_enabled_units(Context& context);

}  // namespace goldsmith::cli
