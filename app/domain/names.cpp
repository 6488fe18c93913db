#include "app/domain/names.hpp"

#include <algorithm>
#include <cstddef>

namespace goldsmith::domain {
namespace {

constexpr std::size_t kMaxFileName = 255;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

bool is_between(unsigned char byte, unsigned low, unsigned high) {
  return byte >= low && byte <= high;
}

// The length of the well-formed sequence at the start of `text`; 0 if there is none. The range of
// the second byte excludes overlong forms, surrogates and code points over U+10FFFF (RFC 3629,
// section 4).
std::size_t sequence_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) {
    return i < text.size() && is_between(at(i), 0x80, 0xBF);
  };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  if (is_between(lead, 0xC2, 0xDF)) return continues(1) ? 2 : 0;
  if (is_between(lead, 0xE0, 0xEF)) {
    if (!continues(1) || !continues(2)) return 0;
    if (lead == 0xE0 && at(1) < 0xA0) return 0;
    if (lead == 0xED && at(1) > 0x9F) return 0;
    return 3;
  }
  if (is_between(lead, 0xF0, 0xF4)) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (lead == 0xF0 && at(1) < 0x90) return 0;
    if (lead == 0xF4 && at(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

// C0, DEL and C1; C1 is U+0080 to U+009F, in UTF-8 C2 80 to C2 9F. Precondition: valid UTF-8.
bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

std::strong_ordering compare_numbers(std::string_view left, std::string_view right) {
  left.remove_prefix(std::min(left.find_first_not_of('0'), left.size()));
  right.remove_prefix(std::min(right.find_first_not_of('0'), right.size()));
  if (left.size() != right.size()) return left.size() <=> right.size();
  return left <=> right;
}

}  // namespace

bool is_file_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxFileName || text == "." || text == "..") return false;
  if (text.find_first_of("/\\") != std::string_view::npos) return false;
  return is_utf8(text) && !has_control_character(text);
}

bool is_relative_path(std::string_view text) {
  if (text.empty()) return true;
  while (true) {
    const std::size_t slash = text.find('/');
    if (!is_file_name(text.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::strong_ordering natural_order(std::string_view left, std::string_view right) {
  std::string_view a = left;
  std::string_view b = right;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const auto order = compare_numbers(take_digits(a), take_digits(b));
      if (order != 0) return order;
      continue;
    }
    if (a.front() != b.front()) {
      return static_cast<unsigned char>(a.front()) <=> static_cast<unsigned char>(b.front());
    }
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) {
    return a.empty() ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return left <=> right;  // equal, or different in leading zeros alone
}

}  // namespace goldsmith::domain
