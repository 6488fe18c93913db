#include "app/http/range.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "app/sys/text.hpp"

namespace goldsmith::http {
namespace {

constexpr std::string_view kUnit = "bytes=";

// A number that does not fit is beyond the end of any file.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return {};
  return sys::parse_number(text).value_or(std::numeric_limits<std::uint64_t>::max());
}

// `first-last`, `first-` or `-length`.
bool is_satisfiable(std::string_view item, std::uint64_t size) {
  const std::size_t hyphen = item.find('-');
  if (hyphen == std::string_view::npos) return false;
  const std::string_view left = sys::trim_ascii(item.substr(0, hyphen));
  const std::string_view right = sys::trim_ascii(item.substr(hyphen + 1));
  const auto last = parse_number(right);
  if (left.empty()) return last.value_or(0) > 0 && size > 0;
  const auto first = parse_number(left);
  if (!first || *first >= size) return false;
  return right.empty() || (last && *last >= *first);
}

}  // namespace

bool is_unsatisfiable_range(std::string_view range, std::uint64_t size) {
  if (!sys::equals_ignoring_case(range.substr(0, kUnit.size()), kUnit)) return false;
  const auto items = sys::split(range.substr(kUnit.size()), ',');
  return std::none_of(items.begin(), items.end(),
                      [&](std::string_view item) { return is_satisfiable(item, size); });
}

}  // namespace goldsmith::http
