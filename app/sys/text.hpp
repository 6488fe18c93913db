// Unicode text (libutf8proc) and small string helpers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::sys {

// U+FFFD, which stands for what is not text.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Full case folding and canonical composition: texts that differ only in letter case or in the
// encoding of accents fold to the same bytes; é and e stay different (decisions R6, P10).
// Precondition: valid UTF-8.
std::string fold_case(std::string_view utf8);

// The first `count` code points. Precondition: valid UTF-8.
std::string_view first_code_points(std::string_view utf8, std::size_t count);

// Without Unicode white space at both ends. Precondition: valid UTF-8.
std::string_view trim(std::string_view utf8);

// Without ASCII white space at both ends; for any bytes.
std::string_view trim_ascii(std::string_view text);

// "A" to "Z" in lower case, independent of the locale; other bytes stay.
std::string to_lower_ascii(std::string_view text);

// Equal but for the letter case of "A" to "Z", independent of the locale.
bool equals_ignoring_case(std::string_view left, std::string_view right);

// on, true, yes, 1, off, false, no or 0, in any letter case; std::nullopt for anything else.
std::optional<bool> parse_switch(std::string_view text);

// Percent-encodes everything except the unreserved characters of RFC 3986 and those in `plain`.
std::string percent_encode(std::string_view text, std::string_view plain = "");

// The pieces between separators, also empty ones; "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace goldsmith::sys
