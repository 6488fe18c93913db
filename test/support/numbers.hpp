#pragma once

#include <cstdint>
#include <string>

namespace goldsmith::test {

// SQL. A table of the numbers from `first` to `last`, for FROM; its column is seq.
inline std::string numbers(std::int64_t first, std::int64_t last) {
  return "(SELECT " + std::to_string(first - 1) + " + number AS seq FROM JSON_TABLE(CONCAT('[0'," +
         " REPEAT(',0', " + std::to_string(last - first) +
         "), ']'), '$[*]' COLUMNS (number FOR ORDINALITY)) AS list) AS numbers";
}

}  // namespace goldsmith::test
