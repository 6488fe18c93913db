#include "app/http/request.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/sys/text.hpp"

namespace goldsmith::http {
namespace {

// The place of a parameter, or the number of all if there is none of that name.
std::size_t find(std::span<const Parameter> declared, std::string_view name) {
  const auto found = std::find_if(declared.begin(), declared.end(),
                                  [&](const Parameter& each) { return each.name == name; });
  return static_cast<std::size_t>(found - declared.begin());
}

}  // namespace

Query::Query(std::string_view raw, std::span<const Parameter> declared, Repeated repeated)
    : declared_(declared), values_(declared.size()) {
  for (const std::string_view pair : sys::split(raw, '&')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto place = find(declared, sys::percent_decode(pair.substr(0, equals), true));
    if (place == declared.size()) continue;
    std::string value = sys::percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
    std::string& stored = values_[place];
    if (repeated == Repeated::joined && declared[place].kind == Parameter::Kind::list) {
      if (!stored.empty()) stored += ',';
      stored += value;
    } else {
      stored = std::move(value);  // `a=1&a=` makes `a` absent
    }
  }
}

std::vector<std::string> undeclared_names(std::string_view raw,
                                          std::span<const Parameter> declared) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  if (raw.empty()) return names;
  for (const std::string_view pair : sys::split(raw, '&')) {
    if (names.size() == kMost) break;
    std::string name = sys::percent_decode(pair.substr(0, pair.find('=')), true);
    if (find(declared, name) == declared.size()) names.push_back(std::move(name));
  }
  return names;
}

std::optional<std::string_view> Query::get(std::string_view name) const {
  const std::size_t place = find(declared_, name);
  if (place == declared_.size()) {
    throw std::logic_error("the parameter \"" + std::string(name) + "\" is not declared");
  }
  if (values_[place].empty()) return std::nullopt;
  return values_[place];
}

long Query::integer(std::string_view name, long fallback, long min, long max) const {
  std::string_view text = get(name).value_or("");
  const bool negative = text.starts_with('-');
  // parse_number accepts '-' but not '+', and would accept "+-1" once the '+' is removed.
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return fallback;
  }
  const auto value = sys::parse_number<long>(text);
  if (!value) return negative ? min : max;  // does not fit
  return std::clamp(negative ? -*value : *value, min, max);
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
    segments.push_back(sys::percent_decode(piece));
  }
  return segments;
}

std::string_view raw_query(std::string_view raw_target) {
  const std::size_t question_mark = raw_target.find('?');
  return question_mark == std::string_view::npos ? "" : raw_target.substr(question_mark + 1);
}

}  // namespace goldsmith::http
