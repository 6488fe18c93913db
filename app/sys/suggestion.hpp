// What an error message suggests instead of an unknown name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::sys {

// The candidate that `text` is most likely a misspelling of; "" if none is close.
std::string_view nearest(std::string_view text, const std::vector<std::string_view>& candidates);

// "a, b or c".
std::string alternatives(const std::vector<std::string_view>& names);

}  // namespace goldsmith::sys
