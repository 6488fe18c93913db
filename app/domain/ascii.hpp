// Classes of ASCII characters, independent of the locale. No byte of a longer UTF-8 sequence is in
// one of them.
#pragma once

namespace goldsmith::domain {

constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
constexpr bool is_lower(char byte) { return byte >= 'a' && byte <= 'z'; }
constexpr bool is_letter(char byte) { return is_lower(byte) || (byte >= 'A' && byte <= 'Z'); }
constexpr bool is_alphanumeric(char byte) { return is_letter(byte) || is_digit(byte); }

}  // namespace goldsmith::domain
