#include "app/creator/preview.hpp"

#include <algorithm>
#include <array>

#include "app/domain/names.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::creator {
namespace {

bool is_binary_byte(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  if (value == 0x7F) return true;
  return value < 0x20 && std::string_view("\t\n\v\f\r\x1B").find(byte) == std::string_view::npos;
}

std::size_t length_by_lead(char byte) {
  const auto lead = static_cast<unsigned char>(byte);
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  return lead >= 0xC0 ? 2 : 1;
}

// End of the last complete code point in the first `limit` bytes. If the text is not UTF-8, the
// result is meaningless but in bounds.
std::size_t whole_code_points(std::string_view text, std::size_t limit) {
  std::size_t lead = limit;
  while (lead > 0 && limit - lead < 4) {
    --lead;
    if (!sys::is_utf8_continuation(text[lead])) {
      return lead + length_by_lead(text[lead]) > limit ? lead : limit;
    }
  }
  return limit;
}

// UTF-8 of the characters of Windows-1252 at 0x80 to 0x9F; null if undefined.
constexpr std::array<const char*, 32> kWindows1252 = {
    "€",     nullptr, "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", nullptr, "Ž", nullptr,
    nullptr, "‘",     "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", nullptr, "ž", "Ÿ"};

std::string from_windows_1252(std::string_view text) {
  std::string utf8;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if (value < 0x80) {
      utf8 += byte;
    } else if (value < 0xA0) {
      const char* const code_point = kWindows1252.at(value - 0x80U);
      utf8 += code_point == nullptr ? sys::kReplacementCharacter : code_point;
    } else {
      utf8 += static_cast<char>(0xC0U | (value >> 6U));
      utf8 += static_cast<char>(0x80U | (value & 0x3FU));
    }
  }
  return utf8;
}

}  // namespace

Preview preview(std::string_view start, std::uint64_t size) {
  Preview result;
  result.truncated = size > kPreviewLimit;
  const std::string_view shown = start.substr(0, kPreviewLimit);
  if (std::any_of(shown.begin(), shown.end(), is_binary_byte)) {
    result.binary = true;
    return result;
  }
  const std::size_t end = result.truncated ? whole_code_points(shown, shown.size()) : shown.size();
  // A code point across the limit must be valid UTF-8, too, if it is complete.
  std::string_view across;
  if (end < shown.size()) across = start.substr(end, length_by_lead(start[end]));
  const bool complete = !across.empty() && across.size() == length_by_lead(across.front());
  if (domain::is_utf8(shown.substr(0, end)) && (!complete || domain::is_utf8(across))) {
    result.content = shown.substr(0, end);
  } else {
    result.content = from_windows_1252(shown);
  }
  return result;
}

}  // namespace goldsmith::creator
