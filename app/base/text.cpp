#include "app/base/text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include "app/base/message.hpp"

namespace goldsmith::base {

namespace {

char lower_ascii(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

// 0 to 15, or -1 if `c` is not a hexadecimal digit.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

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

std::string in_bytes(std::uint64_t bytes) {
  return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
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

namespace {

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

std::string_view trim_ascii(std::string_view text) {
  constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

std::string to_lower_ascii(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), lower_ascii);
  return lower;
}

bool equals_ignoring_case(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower_ascii(a) == lower_ascii(b); });
}

std::string readable_size(std::uint64_t bytes) {
  if (bytes < 1000) return in_bytes(bytes);
  constexpr std::array<const char*, 5> kUnits{"KB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  // 999.5 would be shown as 1000.
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, value < 9.95 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}

std::string binary_size(std::uint64_t bytes) {
  if (bytes < 1U << 10) return in_bytes(bytes);
  if (bytes < 1U << 20) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes >> 20) + " MiB";
}

std::optional<bool> parse_switch(std::string_view text) {
  constexpr std::array<std::string_view, 4> kOn = {"on", "true", "yes", "1"};
  constexpr std::array<std::string_view, 4> kOff = {"off", "false", "no", "0"};
  const std::string lower = to_lower_ascii(text);
  if (std::find(kOn.begin(), kOn.end(), lower) != kOn.end()) return true;
  if (std::find(kOff.begin(), kOff.end(), lower) != kOff.end()) return false;
  return std::nullopt;
}

std::string percent_encode(std::string_view text, std::string_view plain) {
  constexpr std::string_view kUnreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos || plain.find(c) != std::string_view::npos) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4U];
    encoded += kDigits[byte & 15U];
  }
  return encoded;
}

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        decoded += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
  }
  return decoded;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string join_some(const std::vector<std::string>& names, std::size_t most,
                      std::string_view separator) {
  return some_of(names, most, separator).english();
}

namespace {

constexpr std::size_t kMaxNameLength = 40;

// Levenshtein distance.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t substituted = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view text, const std::vector<std::string_view>& candidates) {
  if (text.size() > kMaxNameLength) return {};
  std::string_view best;
  std::size_t fewest = text.size() / 3 + 1;  // with more differences it is another word
  for (const std::string_view candidate : candidates) {
    const std::size_t steps = distance(text, candidate);
    if (steps >= candidate.size() || steps > fewest || (steps == fewest && !best.empty())) continue;
    best = candidate;
    fewest = steps;
  }
  return best;
}

std::string alternatives(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace goldsmith::base
