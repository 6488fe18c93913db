// What the verbs that scan have in common: options, and what they tell of a plugin.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "app/base/json.hpp"
#include "app/cli/command.hpp"
#include "app/scan/scanned_plugin.hpp"

namespace goldsmith::cli {

Option answer_option();
Option jobs_option();
// `TOPIC=ANSWER` of each --answer. Throws UsageError.
std::vector<std::pair<std::string, std::string>> answers_of(const Arguments& arguments);
std::size_t jobs_of(const Arguments& arguments);

// "ok", "failed" or "unknown" by toolchain.
json::Object results_of(const scan::ScannedPlugin& plugin);
// What it asks and nobody has answered.
json::Array questions_of(const scan::ScannedPlugin& plugin);

}  // namespace goldsmith::cli
