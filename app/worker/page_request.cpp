#include "app/worker/page_request.hpp"

#include <string_view>

#include "app/sys/text.hpp"

namespace goldsmith::worker {

namespace {

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

std::optional<std::vector<std::string>> page_segments(const http::Request& request) {
  const std::vector<std::string>& sent = request.segments;
  if (sent.empty() || sent.front() == "v1" || is_below_api(sent)) return std::nullopt;
  return resolved(sent);
}

}  // namespace goldsmith::worker
