// What the plugins of a server cost, as a command says it (rule S53).
#pragma once

#include "app/cli/context.hpp"
#include "app/start/frame_cost.hpp"

namespace goldsmith::cli {

// A table, or JSON.
void print_costs(const start::FrameCosts& costs, const Arguments& arguments, Context& context);

}  // namespace goldsmith::cli
