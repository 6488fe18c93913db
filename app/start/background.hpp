// What the processes of a host share that start servers in the background: turns, and whether
// starts stand still.
#pragma once

#include <optional>
#include <string>

#include "app/base/config.hpp"
#include "app/domain/timestamp.hpp"
#include "app/host/turn_queue.hpp"
#include "app/start/host.hpp"

namespace goldsmith::start {

// The queue of those that start servers in the background, for a turn each.
host::TurnQueue start_turns(const base::Config& config);

// Keeps for the doctor, in a file beside `state`, why servers could not be started here the last
// time; "" = they could.
void note_standstill(const Host& host, const std::string& cause);

// What is kept; absent = nothing was tried yet, or they could be.
struct Standstill {
  std::string cause;
  domain::Timestamp since{};
};
std::optional<Standstill> find_standstill(const base::Config& config);

}  // namespace goldsmith::start
