// The answers that operators give to the questions of scans, as options.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace goldsmith::cli {

// `TOPIC=ANSWER` of each --answer. Throws UsageError.
std::vector<std::pair<std::string, std::string>> answers_for_all(
    const std::vector<std::string>& given);

}  // namespace goldsmith::cli
