// The Unicode text of text.hpp.
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>

#include "app/base/text.hpp"

namespace goldsmith::base {

namespace {

struct Free {
  void operator()(utf8proc_uint8_t* text) const { std::free(text); }
};

// Unicode's White_Space property.
bool is_white_space(utf8proc_int32_t code_point) {
  if ((code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x85) return true;
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      return false;
  }
}

struct CodePoint {
  utf8proc_int32_t value = -1;  // -1 = a byte that is not UTF-8
  std::string_view bytes;
};

// Precondition: `text` is not empty.
CodePoint first_of(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {first, text.substr(0, 1)};
  const CodePoint none{-1, text.substr(0, 1)};
  // The least that each length is for: an overlong form is none.
  constexpr std::array<utf8proc_int32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const std::size_t length = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 1 || first > 0xF4 || text.size() < length) return none;
  auto value = static_cast<utf8proc_int32_t>(first & (0x7FU >> length));
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_utf8_continuation(text[i])) return none;
    value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[length] || is_surrogate || value > 0x10FFFF) return none;
  return {value, text.substr(0, length)};
}

// `sequence` has the bytes of one code point; -1 if they are invalid.
utf8proc_int32_t code_point_of(std::string_view sequence) {
  return sequence.empty() ? -1 : first_of(sequence).value;
}

// Embeddings, overrides and isolates: what they turn ends where they say, or never.
bool turns_direction(utf8proc_int32_t code_point) {
  return (code_point >= 0x202A && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069);
}

bool is_noncharacter(utf8proc_int32_t code_point) {
  return (code_point >= 0xFDD0 && code_point <= 0xFDEF) || (code_point & 0xFFFE) == 0xFFFE;
}

// What Unicode says of control characters and separators of lines never changes.
bool is_control_or_separator(utf8proc_int32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F) || code_point == 0x2028 ||
         code_point == 0x2029;
}

bool is_printable(utf8proc_int32_t code_point) {
  return code_point >= 0 && !is_control_or_separator(code_point) && !turns_direction(code_point) &&
         !is_noncharacter(code_point);
}

bool is_printable(const CodePoint& code_point, std::string_view kept) {
  return is_printable(code_point.value) || kept.find(code_point.bytes) != std::string_view::npos;
}

// `digits` hexadecimal ones behind `mark`.
std::string in_hex(std::string_view mark, unsigned value, unsigned digits) {
  std::string text(mark);
  while (digits-- > 0) text += "0123456789ABCDEF"[(value >> (4 * digits)) & 0xFU];
  return text;
}

std::string escaped(const CodePoint& code_point) {
  if (code_point.value < 0) {
    return in_hex("\\x", static_cast<unsigned char>(code_point.bytes.front()), 2);
  }
  auto value = static_cast<unsigned>(code_point.value);
  if (value <= 0xFFFF) return in_hex("\\u", value, 4);
  value -= 0x10000;  // two surrogates
  return in_hex("\\u", 0xD800 + (value >> 10), 4) + in_hex("\\u", 0xDC00 + (value & 0x3FFU), 4);
}

std::size_t width_of(const CodePoint& code_point) {
  return code_point.value < 0
             ? 1
             : static_cast<std::size_t>(std::max(utf8proc_charwidth(code_point.value), 0));
}

bool is_white_space(std::string_view sequence) {
  const utf8proc_int32_t code_point = code_point_of(sequence);
  return code_point >= 0 && is_white_space(code_point);
}

bool is_ascii_in_word(char lower) {
  return (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
}

// `sequence` has the bytes of one code point.
bool is_in_word(std::string_view sequence) {
  if (sequence.size() == 1) return is_ascii_in_word(lower_ascii(sequence.front()));
  const utf8proc_category_t category = utf8proc_category(code_point_of(sequence));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

// Appends a character to words with a space between two. `ends_word`: one that is in no word came
// after the last.
void append_to_words(std::string& words, bool& ends_word, std::string_view character,
                     bool belongs) {
  if (!belongs) {
    ends_word = !words.empty();
    return;
  }
  if (std::exchange(ends_word, false)) words += ' ';
  words += character;
}

std::string map_text(std::string_view utf8, int options) {
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(utf8.data()),
                   static_cast<utf8proc_ssize_t>(utf8.size()), &mapped,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | options));
  const std::unique_ptr<utf8proc_uint8_t, Free> owner(mapped);
  if (length < 0) {
    throw std::invalid_argument(std::string("fold_case: ") + utf8proc_errmsg(length));
  }
  return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length)};
}

// Folded text with i for ı, and for the i with a dot above that İ folds to.
std::string with_one_i(std::string folded) {
  constexpr std::string_view kDotlessI = "\xC4\xB1";
  constexpr std::string_view kDotAbove = "\xCC\x87";
  const bool has_dotless = folded.find(kDotlessI) != std::string::npos;
  if (!has_dotless && folded.find("i\xCC\x87") == std::string::npos) return folded;
  std::string text;
  for (std::string_view rest = folded; !rest.empty();) {
    const std::string_view next = first_code_points(rest, 1);
    rest.remove_prefix(next.size());
    if (next == kDotAbove && text.ends_with('i')) continue;
    text += next == kDotlessI ? "i" : next;
  }
  return map_text(text, UTF8PROC_COMPOSE);  // other accents of ı had no letter of their own
}

template <typename Replace>
std::string with_printable(std::string_view bytes, std::string_view kept, Replace replace) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const CodePoint next = first_of(bytes);
    bytes.remove_prefix(next.bytes.size());
    if (is_printable(next, kept)) {
      text += next.bytes;
    } else {
      text += replace(next);
    }
  }
  return text;
}

}  // namespace

// Decomposed first: folding makes a letter of a mark, the iota subscript, which must be the last of
// its letter by then.
std::string fold_case(std::string_view utf8) {
  if (is_ascii(utf8)) return to_lower_ascii(utf8);
  return with_one_i(
      map_text(map_text(utf8, UTF8PROC_DECOMPOSE), UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD));
}

std::string folded_words(std::string_view utf8) {
  std::string words;
  words.reserve(utf8.size());
  bool ends_word = false;
  if (is_ascii(utf8)) {  // most texts about plugins
    for (const char byte : utf8) {
      const char lower = lower_ascii(byte);
      append_to_words(words, ends_word, {&lower, 1}, is_ascii_in_word(lower));
    }
    return words;
  }
  const std::string folded = fold_case(utf8);
  for (std::string_view rest = folded; !rest.empty();) {
    const std::string_view next = first_code_points(rest, 1);
    rest.remove_prefix(next.size());
    append_to_words(words, ends_word, next, is_in_word(next));
  }
  return words;
}

std::size_t count_code_points(std::string_view utf8) {
  return utf8.size() -
         static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), is_utf8_continuation));
}

std::string_view first_code_points(std::string_view utf8, std::size_t count) {
  std::size_t end = 0;
  for (; end < utf8.size(); ++end) {
    if (is_utf8_continuation(utf8[end])) continue;
    if (count == 0) break;
    --count;
  }
  return utf8.substr(0, end);
}

std::string_view first_bytes(std::string_view utf8, std::size_t most) {
  std::size_t end = std::min(most, utf8.size());
  while (end > 0 && end < utf8.size() && is_utf8_continuation(utf8[end])) --end;
  return utf8.substr(0, end);
}

std::string_view trim(std::string_view utf8) {
  while (!utf8.empty()) {
    const std::string_view first = first_code_points(utf8, 1);
    if (!is_white_space(first)) break;
    utf8.remove_prefix(first.size());
  }
  while (!utf8.empty()) {
    std::size_t start = utf8.size() - 1;
    while (start > 0 && is_utf8_continuation(utf8[start])) --start;
    if (!is_white_space(utf8.substr(start))) break;
    utf8.remove_suffix(utf8.size() - start);
  }
  return utf8;
}

bool is_printable(std::string_view text, std::string_view kept) {
  while (!text.empty()) {
    const CodePoint next = first_of(text);
    if (!is_printable(next, kept)) return false;
    text.remove_prefix(next.bytes.size());
  }
  return true;
}

bool is_printable(char32_t code_point) {
  return code_point <= 0x10FFFF && is_printable(static_cast<utf8proc_int32_t>(code_point));
}

std::string printable(std::string_view bytes, std::string_view kept) {
  return with_printable(bytes, kept, escaped);
}

std::string one_spaced(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) > ' ' && c != 0x7F) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return printable(line.substr(0, line.find_last_not_of(' ') + 1));
}

std::string masked(std::string_view bytes, std::string_view kept) {
  return with_printable(bytes, kept, [](const CodePoint&) { return '?'; });
}

std::string only_printable(std::string_view bytes, std::string_view kept) {
  return with_printable(bytes, kept, [](const CodePoint& other) {
    return other.value < 0 ? kReplacementCharacter : std::string_view();
  });
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint next = first_of(text);
    width += width_of(next);
    text.remove_prefix(next.bytes.size());
  }
  return width;
}

std::string_view first_columns(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t width = 0; end < text.size();) {
    const CodePoint next = first_of(text.substr(end));
    width += width_of(next);
    if (width > most) break;
    end += next.bytes.size();
  }
  return text.substr(0, end);
}

}  // namespace goldsmith::base
