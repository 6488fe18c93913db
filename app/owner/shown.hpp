// What others wrote, as a terminal may show it.
#pragma once

#include <string>
#include <string_view>

#include "app/base/json.hpp"

namespace goldsmith::owner {

// Without control characters, those of Unicode too, what turns the direction of a text, and bytes
// that are not UTF-8: `?` stands in their place. Those in `kept`, of ASCII, may occur.
std::string shown(std::string_view text, std::string_view kept = "");
// Each text in it so.
json::Value shown_values(const json::Value& value);

}  // namespace goldsmith::owner
