// Checks of names in archives, which are untrusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace goldsmith::unpack {

struct SafePath {
  std::string path;     // relative, '/' between its parts, no "." or ".."; "" = the top folder
  bool folder = false;  // the name ended in a separator
};

// Backslashes become slashes; "." parts and doubled slashes are removed. Throws RefusedEntry for a
// name that is empty, absolute, leads upwards, exceeds `max_length` bytes, is not UTF-8 or not
// sys::is_printable().
SafePath make_safe_path(std::string_view name, std::uint64_t max_length);

// sys::printable(), cut after `longest` bytes, for a message.
std::string printable(std::string_view text, std::size_t longest = 200);

}  // namespace goldsmith::unpack
