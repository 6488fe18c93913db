// What the record of changes tells of a command (decision O27).
#pragma once

#include <string>
#include <vector>

#include "app/cli/command.hpp"

namespace goldsmith::cli {

// Whether the verb, called so, changes something that is recorded.
bool is_change(const Verb& verb, const Arguments& arguments);

// The words behind NOUN and VERB as a shell takes them: positionals, the verb's options, then those
// of the configuration. Values of secret options, passwords and queries in addresses, and all but
// the beginning of API keys are "***".
std::string recorded_arguments(const Verb& verb, const Arguments& arguments,
                               const std::vector<std::string>& overrides);

// Without what addresses and API keys in it keep secret, as above.
std::string without_secrets(std::string text);

}  // namespace goldsmith::cli
