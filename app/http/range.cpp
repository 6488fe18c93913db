#include "app/http/range.hpp"

#include <time.h>

#include <array>
#include <optional>
#include <string>

#include "app/http/response.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::http {
namespace {

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
  const auto number = sys::parse_number<std::int64_t>(text);
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

bool looks_at_range(const Request& request, const Validators& file) {
  if (header(request, "range") == nullptr) return false;
  if (!is_precondition_met(request, file) || is_not_modified(request, file)) return false;
  const std::string* const condition = header(request, "if-range");
  return condition == nullptr || *condition == file.etag || parse_date(*condition) == file.modified;
}

bool is_unsatisfiable_range(std::string_view range, std::uint64_t size) {
  if (!sys::equals_ignoring_case(range.substr(0, kUnit.size()), kUnit)) return false;
  bool is_satisfiable = false;
  for (const std::string_view item : sys::split(range.substr(kUnit.size()), ',')) {
    const Fit found = fit(item, size);
    if (found == Fit::unreadable) return true;
    is_satisfiable = is_satisfiable || found == Fit::satisfiable;
  }
  return !is_satisfiable;
}

}  // namespace goldsmith::http
