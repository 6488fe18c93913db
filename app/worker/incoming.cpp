#include "app/worker/incoming.hpp"

#include <algorithm>
#include <string_view>

#include "app/sys/text.hpp"

namespace goldsmith::worker {
namespace {

constexpr std::size_t kIdDigits = 32;

std::string_view header(const http::Request& request, std::string_view name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string_view() : found->second;
}

bool is_id(std::string_view text) {
  return text.size() == kIdDigits &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Bytes.
constexpr std::size_t kLongestTarget = 8192;
constexpr std::size_t kLongestHeader = 8192;
constexpr std::size_t kAllHeaders = 32'768;

std::vector<std::string> resolved(const std::vector<std::string>& segments) {
  std::vector<std::string> kept;
  bool is_folder = false;  // a slash at the end
  for (const std::string& segment : segments) {
    is_folder = segment.empty() || segment == "." || segment == "..";
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (!is_folder) kept.push_back(segment);
  }
  if (is_folder) kept.emplace_back();
  return kept;
}

// As nginx chooses a location: escaped slashes separate, too.
bool is_below_api(const std::vector<std::string>& segments) {
  std::vector<std::string> pieces;
  for (const std::string& segment : segments) {
    for (const std::string_view piece : sys::split(segment, '/')) pieces.emplace_back(piece);
  }
  return resolved(pieces).front() == "v1";
}

}  // namespace

void apply_forwarded(const access::TrustedProxies& proxies, http::Request& request) {
  const std::string_view id = header(request, "x-goldsmith-front");
  if (is_id(id) && proxies.contains(request.remote_address)) request.front_id = id;
  request.remote_address =
      proxies.caller_address(request.remote_address, header(request, "x-forwarded-for"));
}

std::optional<http::Error> too_large(const http::Request& request) {
  if (request.target.size() > kLongestTarget) return http::Error::uri_too_long;
  std::size_t longest = 0;
  std::size_t all = 0;
  const auto add = [&](std::size_t bytes) {
    longest = std::max(longest, bytes);
    all += bytes;
  };
  for (const auto& [name, value] : request.headers) add(name.size() + value.size());
  add(request.authorization.value_or("").size());
  add(request.if_none_match.value_or("").size());
  if (longest > kLongestHeader || all > kAllHeaders) return http::Error::headers_too_large;
  return std::nullopt;
}

std::optional<std::vector<std::string>> page_segments(const http::Request& request) {
  const std::vector<std::string>& sent = request.segments;
  if (sent.empty() || sent.front() == "v1" || is_below_api(sent)) return std::nullopt;
  return resolved(sent);
}

}  // namespace goldsmith::worker
