// Unicode text (libutf8proc) and small string helpers.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::base {

// The bytes of a code point after its first one.
constexpr bool is_utf8_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

// U+FFFD, which stands for what is not text.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Full case folding and canonical composition: texts that differ only in letter case or in the
// encoding of accents fold to the same bytes; é and e stay different, but I, i, İ and ı, whose
// cases depend on the language, are one letter (decisions R6, P10).
// Precondition: valid UTF-8.
std::string fold_case(std::string_view utf8);
// Its words, as fold_case() has them, with a space between two: the runs of letters, their accents
// and digits, in any script. Precondition: valid UTF-8.
std::string folded_words(std::string_view utf8);

// Precondition of the next four: valid UTF-8.
std::size_t count_code_points(std::string_view utf8);
// The first `count` of them.
std::string_view first_code_points(std::string_view utf8, std::size_t count);
// As many of them as have at most `most` bytes together.
std::string_view first_bytes(std::string_view utf8, std::size_t most);
// Without Unicode white space at both ends.
std::string_view trim(std::string_view utf8);

// False for bytes that are not UTF-8, and for text that one line can't show as it is: with control
// characters (C1, too), separators of lines, what turns the direction of the text after it, or
// code points that are no characters. Those in `kept`, of ASCII, may occur.
bool is_printable(std::string_view text, std::string_view kept = "");
bool is_printable(char32_t code_point);
// Any bytes as such a text: other characters as \u009B, as in JSON, other bytes as \xNN.
std::string printable(std::string_view bytes, std::string_view kept = "");
// The same of a text of several lines, as one: control characters of ASCII become spaces.
std::string one_line(std::string_view text);
// `text` without control characters of ASCII, and without blanks at its ends: what is left of
// blanks is one space.
std::string one_spaced(std::string_view text);
// The same with `?` for each other character or byte.
std::string masked(std::string_view bytes, std::string_view kept = "");
// The same for prose of strangers, which nobody refuses for them: without other characters, and
// with U+FFFD for each other byte.
std::string only_printable(std::string_view bytes, std::string_view kept = "\n\t");

// The columns that a terminal needs for it: two for a wide character, none for one that combines
// with that before it. Bytes that are not UTF-8 need one each.
std::size_t display_width(std::string_view text);
// The beginning, of `most` columns at most.
std::string_view first_columns(std::string_view text, std::size_t most);

// Without ASCII white space at both ends; for any bytes.
std::string_view trim_ascii(std::string_view text);

inline bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

// "A" to "Z" in lower case, independent of the locale; other bytes stay.
constexpr char lower_ascii(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}
std::string to_lower_ascii(std::string_view text);

// Equal but for the letter case of "A" to "Z", independent of the locale.
bool equals_ignoring_case(std::string_view left, std::string_view right);

// The whole text as a number; std::nullopt if it is anything else, or does not fit.
template <std::integral Number = std::uint64_t>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

// Takes a number and the space that follows, if one does, from the start of a text; takes nothing
// if it is std::nullopt.
template <std::integral Number = std::uint64_t>
std::optional<Number> take_number(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::optional<Number> number = parse_number<Number>(text.substr(0, end));
  if (number) text.remove_prefix(std::min(end + 1, text.size()));
  return number;
}

// "512 bytes", "1.4 KB", "23 MB"; 1 KB = 1,000 bytes.
std::string readable_size(std::uint64_t bytes);
// Limits and disks: "312 bytes", "256 KiB", "16 MiB", rounded down; 1 KiB = 1,024 bytes.
std::string binary_size(std::uint64_t bytes);

// on, true, yes, 1, off, false, no or 0, in any letter case; std::nullopt for anything else.
std::optional<bool> parse_switch(std::string_view text);

// Percent-encodes everything except the unreserved characters of RFC 3986 and those in `plain`.
std::string percent_encode(std::string_view text, std::string_view plain = "");
// Decodes it once; queries need `plus_is_space`. A '%' without two hex digits is kept.
std::string percent_decode(std::string_view text, bool plus_is_space = false);

// The pieces between separators, also empty ones; "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

// What `text_of` gives of each, with `separator` between them.
template <std::ranges::input_range Range, typename TextOf = std::identity>
std::string join(const Range& range, std::string_view separator, TextOf text_of = {}) {
  std::string joined;
  bool is_first = true;
  for (const auto& each : range) {
    if (!is_first) joined += separator;
    joined += std::string_view(std::invoke(text_of, each));
    is_first = false;
  }
  return joined;
}

// The first `most` of them, and how many others there are: "a, b and 3 more".
std::string join_some(const std::vector<std::string>& names, std::size_t most,
                      std::string_view separator = ", ");

// What an error message suggests instead of an unknown name.

// The candidate that `text` is most likely a misspelling of; "" if none is close.
std::string_view nearest(std::string_view text, const std::vector<std::string_view>& candidates);

// "a, b or c".
std::string alternatives(const std::vector<std::string_view>& names);

}  // namespace goldsmith::base
