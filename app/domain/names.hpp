// Names that callers and operators choose: what they may consist of; slugs and versions as types.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace goldsmith::domain {

// Classes of ASCII characters, independent of the locale. No byte of a longer UTF-8 sequence is in
// one of them.

constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
constexpr bool is_lower(char byte) { return byte >= 'a' && byte <= 'z'; }
constexpr bool is_letter(char byte) { return is_lower(byte) || (byte >= 'A' && byte <= 'Z'); }
constexpr bool is_alphanumeric(char byte) { return is_letter(byte) || is_digit(byte); }

// Slug and Version: names that are checked once, where they enter. A function that takes one needs
// no check of its own (decision R15).

// A text of at most 64 bytes that is legal by `IsLegal`. Held inline: no allocation. Compares byte
// by byte, also with any other text. Default-constructed it is empty, which is no legal value: a
// field that is not filled in yet. Where a value may be absent, use std::optional.
template <bool (*IsLegal)(std::string_view)>
class Identifier {
 public:
  static constexpr std::size_t kMaxSize = 64;

  constexpr Identifier() = default;
  // From a literal; one that is not legal does not compile.
  consteval Identifier(const char* literal) : Identifier(std::string_view(literal)) {
    if (!IsLegal(literal)) throw "not a legal name";
  }
  // std::nullopt if `text` is not legal.
  static constexpr std::optional<Identifier> parse(std::string_view text) {
    return IsLegal(text) ? std::optional(Identifier(text)) : std::nullopt;
  }
  static constexpr bool is_legal(std::string_view text) { return IsLegal(text); }

  constexpr bool empty() const { return size_ == 0; }
  // Valid as long as this object.
  constexpr std::string_view view() const { return {bytes_.data(), size_}; }
  constexpr operator std::string_view() const { return view(); }
  std::string str() const { return std::string(view()); }

  template <std::convertible_to<std::string_view> Text>
  friend constexpr bool operator==(const Identifier& left, const Text& right) {
    return left.view() == std::string_view(right);
  }
  template <std::convertible_to<std::string_view> Text>
  friend constexpr std::strong_ordering operator<=>(const Identifier& left, const Text& right) {
    return left.view() <=> std::string_view(right);
  }
  friend std::string operator+(std::string left, const Identifier& right) {
    return left.append(right.view());
  }
  friend std::string operator+(const Identifier& left, std::string_view right) {
    return left.str().append(right);
  }
  friend std::ostream& operator<<(std::ostream& out, const Identifier& identifier) {
    return out << identifier.view();
  }

 private:
  constexpr explicit Identifier(std::string_view text) : size_(text.size()) {
    std::copy(text.begin(), text.end(), bytes_.begin());
  }

  std::array<char, kMaxSize> bytes_{};
  std::size_t size_ = 0;
};

namespace detail {

constexpr bool is_slug(std::string_view text) {
  if (text.empty() || text.size() > 64) return false;
  bool after_hyphen = true;  // so that the first byte can't be one
  for (const char byte : text) {
    if (byte == '-' ? after_hyphen : !is_lower(byte) && !is_digit(byte)) return false;
    after_hyphen = byte == '-';
  }
  return !after_hyphen;
}

constexpr bool is_version(std::string_view text) {
  if (text.empty() || text.size() > 64 || !is_alphanumeric(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [](char byte) {
    return is_alphanumeric(byte) || std::string_view("._+~-").find(byte) != std::string_view::npos;
  });
}

}  // namespace detail

// The name of a plugin, an addon pack, a component or a category: `[a-z0-9]+(-[a-z0-9]+)*`, at most
// 64 bytes.
using Slug = Identifier<detail::is_slug>;

// `[A-Za-z0-9][A-Za-z0-9._+~-]*`, at most 64 bytes. Its order is that of the bytes; version_order()
// is that of people.
using Version = Identifier<detail::is_version>;

// Which file names are legal (decision R15). Pure functions, no allocation.

// 1 to 255 bytes of valid UTF-8 without control characters, `/` and `\`; not `.` or `..`.
bool is_file_name(std::string_view text);

// A relative path of such names joined by `/`, or empty (the game directory itself).
bool is_relative_path(std::string_view text);

// OWNER/NAME, of what GitHub allows in both.
bool is_github_repository(std::string_view text);

// What git allows in the name of a branch, printable, at most 255 bytes; no leading `-`.
bool is_branch_name(std::string_view text);

// True for well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
bool is_utf8(std::string_view text);

}  // namespace goldsmith::domain
