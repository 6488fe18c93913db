#include "app/web/request.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "app/base/text.hpp"
#include "app/web/response.hpp"

namespace goldsmith::web {

namespace {

// The place of a parameter, or the number of all if there is none of that name.
std::size_t find(std::span<const Parameter> declared, std::string_view name) {
  const auto found = std::find_if(declared.begin(), declared.end(),
                                  [&](const Parameter& each) { return each.name == name; });
  return static_cast<std::size_t>(found - declared.begin());
}

constexpr std::string_view kUnit = "bytes=";

enum class Fit { satisfiable, unsatisfiable, unreadable };

std::string_view trim_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Digits; no more than a file offset holds.
std::optional<std::uint64_t> parse_offset(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return {};
  const auto number = base::parse_number<std::int64_t>(text);
  if (!number) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

// `first-last`, `first-` or `-length`, with spaces where nginx takes them.
Fit fit(std::string_view item, std::uint64_t size) {
  item = trim_spaces(item);
  const std::size_t hyphen = item.find('-');
  if (hyphen == std::string_view::npos) return Fit::unreadable;
  const std::string_view right = item.substr(hyphen + 1);
  const auto fits = [](bool does) { return does ? Fit::satisfiable : Fit::unsatisfiable; };
  if (hyphen == 0) {
    const auto length = parse_offset(right);
    return length ? fits(*length > 0 && size > 0) : Fit::unreadable;
  }
  const auto first = parse_offset(trim_spaces(item.substr(0, hyphen)));
  const auto last = parse_offset(trim_spaces(right));
  if (!first || (!last && !right.empty())) return Fit::unreadable;
  return fits(*first < size && (right.empty() || *last >= *first));
}

// Seconds since 1970 of an HTTP date in one of its three forms (section 5.6.7).
std::optional<std::int64_t> parse_date(const std::string& text) {
  constexpr std::array<const char*, 3> kForms = {
      "%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"};
  for (const char* const form : kForms) {
    tm time{};
    const char* const end = ::strptime(text.c_str(), form, &time);
    if (end != nullptr && *end == '\0') return ::timegm(&time);
  }
  return std::nullopt;
}

const std::string* header(const Request& request, std::string_view name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? nullptr : &found->second;
}

// nginx evaluates both conditions of a kind if a request has both, and takes what is no date for a
// very old one, as an absent value is less than any.
bool is_precondition_met(const Request& request, const Validators& file) {
  const std::string* const match = header(request, "if-match");
  const std::string* const unmodified = header(request, "if-unmodified-since");
  return (match == nullptr || matches_etag_strongly(*match, file.etag)) &&
         (unmodified == nullptr || parse_date(*unmodified) >= file.modified);
}

bool is_not_modified(const Request& request, const Validators& file) {
  const std::string* const modified = header(request, "if-modified-since");
  if (!request.if_none_match && modified == nullptr) return false;
  return (!request.if_none_match || matches_etag(*request.if_none_match, file.etag)) &&
         (modified == nullptr || parse_date(*modified) == file.modified);
}

}  // namespace

Query::Query(std::string_view raw, std::span<const Parameter> declared, Repeated repeated)
    : declared_(declared), values_(declared.size()) {
  for (const std::string_view pair : base::split(raw, '&')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto place = find(declared, base::percent_decode(pair.substr(0, equals), true));
    if (place == declared.size()) continue;
    std::string value = base::percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
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
  for (const std::string_view pair : base::split(raw, '&')) {
    if (names.size() == kMost) break;
    std::string name = base::percent_decode(pair.substr(0, pair.find('=')), true);
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
  const auto value = base::parse_number<long>(text);
  if (!value) return negative ? min : max;  // does not fit
  return std::clamp(negative ? -*value : *value, min, max);
}

bool Query::flag(std::string_view name) const {
  const std::string_view value = get(name).value_or("");
  return value == "1" || base::equals_ignoring_case(value, "true") ||
         base::equals_ignoring_case(value, "yes") || base::equals_ignoring_case(value, "on");
}

std::vector<std::string> split_path(std::string_view raw_target) {
  std::string_view path = raw_target.substr(0, raw_target.find_first_of("?#"));
  if (path.empty()) return {};
  if (path.starts_with('/')) path.remove_prefix(1);
  std::vector<std::string> segments;
  for (const std::string_view piece : base::split(path, '/')) {
    segments.push_back(base::percent_decode(piece));
  }
  return segments;
}

std::string_view raw_query(std::string_view raw_target) {
  const std::size_t question_mark = raw_target.find('?');
  return question_mark == std::string_view::npos ? "" : raw_target.substr(question_mark + 1);
}

bool looks_at_range(const Request& request, const Validators& file) {
  if (header(request, "range") == nullptr) return false;
  if (!is_precondition_met(request, file) || is_not_modified(request, file)) return false;
  const std::string* const condition = header(request, "if-range");
  return condition == nullptr || *condition == file.etag || parse_date(*condition) == file.modified;
}

bool is_unsatisfiable_range(std::string_view range, std::uint64_t size) {
  if (!base::equals_ignoring_case(range.substr(0, kUnit.size()), kUnit)) return false;
  bool is_satisfiable = false;
  for (const std::string_view item : base::split(range.substr(kUnit.size()), ',')) {
    const Fit found = fit(item, size);
    if (found == Fit::unreadable) return true;
    is_satisfiable = is_satisfiable || found == Fit::satisfiable;
  }
  return !is_satisfiable;
}

}  // namespace goldsmith::web
