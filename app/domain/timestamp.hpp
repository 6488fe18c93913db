// Points in time as the API shows them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace goldsmith::domain {

// `YYYY-MM-DD HH:MM:SS`, UTC; "" = unset. Compares in time order as text.
using Timestamp = std::string;

// Reads `YYYY-MM-DD HH:MM:SS` or ISO 8601 (`T`, `Z`, a date alone, a numeric offset) and normalises
// it to UTC. Nothing for what is no real time (a 30th of February, an hour 24).
std::optional<Timestamp> parse_timestamp(std::string_view text);

}  // namespace goldsmith::domain
