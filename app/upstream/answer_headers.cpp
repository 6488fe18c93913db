#include "app/upstream/answer_headers.hpp"

#include <algorithm>
#include <cstdint>

#include "app/sys/text.hpp"
#include "app/upstream/web.hpp"

namespace goldsmith::upstream {
namespace {

using std::chrono::seconds;

constexpr seconds kLongestWait = std::chrono::days{1};
constexpr seconds kLastQuota = std::chrono::days{36525};  // a hundred years

std::optional<seconds> parse_seconds(const std::string& text) {
  const auto number = sys::parse_number<std::int64_t>(text);
  return number && *number >= 0 ? std::optional(seconds(*number)) : std::nullopt;
}

}  // namespace

std::string_view origin_of(std::string_view url) { return url.substr(0, url.find('/', 8)); }

std::string next_page(const HttpAnswer& answer, const std::string& url) {
  const std::string links = answer.header("link");
  const std::size_t relation = links.find("rel=\"next\"");
  if (relation == std::string::npos) return "";
  const std::size_t begin = links.rfind('<', relation);
  const std::size_t end = links.rfind('>', relation);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  std::string next = links.substr(begin + 1, end - begin - 1);
  if (origin_of(next) != origin_of(url)) {
    throw FetchError(url + ": names a next page on another server: " + next);
  }
  return next;
}

std::optional<seconds> asked_wait(const HttpAnswer& answer, domain::Timestamp now) {
  const std::string text = answer.header("retry-after");
  std::optional<seconds> wait = parse_seconds(text);
  if (const auto time = wait ? std::nullopt : parse_http_date(text)) {
    wait = seconds(*time) - now.time_since_epoch();
  }
  if (!wait) return std::nullopt;
  return std::clamp(*wait, seconds{0}, kLongestWait);
}

std::optional<domain::Timestamp> quota_end(const HttpAnswer& answer, domain::Timestamp now) {
  std::optional<domain::Timestamp> end;
  if (const auto wait = asked_wait(answer, now)) end = now + *wait;
  if (answer.header("x-ratelimit-remaining") == "0") {
    if (const auto reset = parse_seconds(answer.header("x-ratelimit-reset"))) {
      end = std::min(domain::Timestamp(*reset), now + kLastQuota);
    }
  }
  return end;
}

}  // namespace goldsmith::upstream
