#include "app/creator/preview.hpp"

#include "app/domain/names.hpp"
#include "app/sys/code_page.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::creator {
namespace {

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

}  // namespace

Preview preview(std::string_view start, std::uint64_t size, std::size_t limit) {
  Preview result;
  result.truncated = size > limit;
  const std::string_view shown = start.substr(0, limit);
  if (!sys::is_text(shown)) {
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
    result.charset = sys::detect_code_page(shown);
    result.content = sys::from_code_page(shown, result.charset);
  }
  return result;
}

}  // namespace goldsmith::creator
