#include "app/domain/version_time.hpp"

#include <algorithm>

#include "app/domain/names.hpp"

namespace goldsmith::domain {

Timestamp time_of_undated(std::string_view version, const std::vector<DatedVersion>& known,
                          Timestamp now) {
  const auto newest =
      std::max_element(known.begin(), known.end(), [](const auto& left, const auto& right) {
        return left.time != right.time ? left.time < right.time
                                       : natural_order(left.version, right.version) < 0;
      });
  if (newest == known.end() || natural_order(newest->version, version) <= 0) return now;
  Timestamp earliest = newest->time;
  for (const DatedVersion& each : known) {
    if (natural_order(each.version, version) > 0) earliest = std::min(earliest, each.time);
  }
  return std::min(earliest, now);
}

}  // namespace goldsmith::domain
