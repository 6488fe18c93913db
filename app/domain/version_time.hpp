// When a version came out, if nobody says it.
#pragma once

#include <string_view>
#include <vector>

#include "app/domain/timestamp.hpp"

namespace goldsmith::domain {

struct DatedVersion {
  std::string_view version;
  Timestamp time;
};

// The time of `version`, which is added to the `known` ones, in any order, without a date: `now`,
// unless the newest of them has a higher number. Then it is an older version that comes late, and
// gets the earliest time of those with higher numbers: it is behind all of them, since natural
// order decides among equal times (decisions P1, S1a).
Timestamp time_of_undated(std::string_view version, const std::vector<DatedVersion>& known,
                          Timestamp now);

}  // namespace goldsmith::domain
