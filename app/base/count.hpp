// Numbers of things in English sentences.
#pragma once

#include <concepts>
#include <string>

namespace goldsmith::base {

// "1 file", "2 files".
std::string count_of(std::integral auto count, const std::string& thing) {
  return std::to_string(count) + ' ' + thing + (count == 1 ? "" : "s");
}

}  // namespace goldsmith::base
