#include "app/http/request.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "app/sys/text.hpp"

namespace goldsmith::http {
namespace {

// 0 to 15, or -1 if `c` is not a hexadecimal digit.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Query Query::parse(std::string_view raw, std::span<const std::string_view> joined) {
  Query query;
  for (const std::string_view pair : sys::split(raw, '&')) {
    const std::size_t equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    std::string name = percent_decode(pair.substr(0, equals), true);
    if (std::find(joined.begin(), joined.end(), name) != joined.end()) {
      std::string& all = query.values_[std::move(name)];
      if (!all.empty()) all += ',';
      all += percent_decode(value, true);
      continue;
    }
    // Empty values are stored: `a=1&a=` makes `a` absent because the last value counts.
    query.values_.insert_or_assign(std::move(name), percent_decode(value, true));
  }
  return query;
}

std::optional<std::string_view> Query::get(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

long Query::integer(std::string_view name, long fallback, long min, long max) const {
  std::string_view text = get(name).value_or("");
  const bool negative = text.starts_with('-');
  // from_chars accepts '-' but not '+', and would accept "+-1" once the '+' is removed.
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return fallback;
  }
  long value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::result_out_of_range) return negative ? min : max;
  return std::clamp(negative ? -value : value, min, max);
}

bool Query::flag(std::string_view name) const {
  const std::string_view value = get(name).value_or("");
  return value == "1" || sys::equals_ignoring_case(value, "true") ||
         sys::equals_ignoring_case(value, "yes") || sys::equals_ignoring_case(value, "on");
}

std::vector<std::string> split_path(std::string_view raw_target) {
  std::string_view path = raw_target.substr(0, raw_target.find_first_of("?#"));
  if (path.empty()) return {};
  if (path.starts_with('/')) path.remove_prefix(1);
  std::vector<std::string> segments;
  for (const std::string_view piece : sys::split(path, '/')) {
    segments.push_back(percent_decode(piece));
  }
  return segments;
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

}  // namespace goldsmith::http
