// What an include declares for sources that include it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::pawn {

// Reads an include, which is hostile: what sources get from it by name, each as
// domain::is_declared_name() has it; sorted, each once, at most 16,384. Both branches of a
// condition count. Operators and what guards against a second inclusion are left out.
std::vector<std::string> declared_names(std::string_view include);

}  // namespace goldsmith::pawn
