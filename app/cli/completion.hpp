// The words that completion in bash offers.
#pragma once

#include <string>

namespace goldsmith::cli {

// Two associative arrays of bash, keyed by what stands on the line ("goldsmith plugin"):
// _goldsmith_commands holds the nouns or verbs that may follow, _goldsmith_options the options.
// scripts/deb/completion.bash reads them.
std::string completion_words();

}  // namespace goldsmith::cli
