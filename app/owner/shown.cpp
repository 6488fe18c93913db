#include "app/owner/shown.hpp"

#include <cstddef>

#include "app/base/text.hpp"

namespace goldsmith::owner {
namespace {

// Of the character that begins there, if it is whole; 1 otherwise.
std::size_t length_of(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (first >= 0x80 && (first < 0xC2 || first > 0xF4)) return 1;
  if (text.size() < length) return 1;
  for (std::size_t i = 1; i < length; ++i) {
    if (!base::is_utf8_continuation(text[i])) return 1;
  }
  return length;
}

}  // namespace

std::string shown(std::string_view text, std::string_view kept) {
  std::string result;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, length_of(text));
    // As two: the bytes of a control character are none that a terminal may see.
    const bool is_control = character.size() == 2 && !base::is_printable(character);
    if (is_control) {
      result += "??";
    } else if (base::is_printable(character, kept)) {
      result.append(character);
    } else {
      result += '?';
    }
    text.remove_prefix(character.size());
  }
  return result;
}

}  // namespace goldsmith::owner
