// Which file names are legal, and how versions order (decisions R15, P1, S1a). Pure functions, no
// allocation. Slugs and versions are types: app/domain/identifiers.hpp.
#pragma once

#include <compare>
#include <string_view>

namespace goldsmith::domain {

// 1 to 255 bytes of valid UTF-8 without control characters, `/` and `\`; not `.` or `..`.
bool is_file_name(std::string_view text);

// A relative path of such names joined by `/`, or empty (the game directory itself).
bool is_relative_path(std::string_view text);

// True for well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
bool is_utf8(std::string_view text);

// Natural order: runs of digits compare as numbers of any length, everything else byte by byte
// ("1.9" < "1.10"). Equal only for equal strings: "1.01" and "1.1" then compare byte by byte.
std::strong_ordering natural_order(std::string_view left, std::string_view right);

}  // namespace goldsmith::domain
