// Points in time, to the second, and their text: read where it enters, written where it leaves.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace goldsmith::domain {

using Timestamp = std::chrono::sys_seconds;  // UTC

// Reads `YYYY-MM-DD HH:MM:SS` or ISO 8601 (`T`, `Z`, a date alone, a numeric offset); a fraction of
// a second is dropped. std::nullopt for any other text, for a time that does not exist (30
// February, hour 24) and outside the years 1 to 9999.
std::optional<Timestamp> parse_timestamp(std::string_view text);

// `YYYY-MM-DD HH:MM:SS`, UTC: in the API, on the command line and in SQL.
std::string format_timestamp(Timestamp time);
// format_timestamp() of the time, or "" for an absent one.
std::string format_timestamp(const std::optional<Timestamp>& time);

}  // namespace goldsmith::domain
