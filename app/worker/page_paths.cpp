#include "app/worker/page_paths.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "app/base/text.hpp"

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
    for (const std::string_view piece : base::split(segment, '/')) pieces.emplace_back(piece);
  }
  return resolved(pieces).front() == "v1";
}

// What may stand in a query as it is (RFC 3986, 3.4); a `%` that escapes nothing stays, too.
constexpr std::string_view kPlainInQuery = "%&=+,;:@/?!$'()*";

}  // namespace

std::optional<std::vector<std::string>> page_segments(const web::Request& request) {
  const std::vector<std::string>& sent = request.segments;
  if (sent.empty() || sent.front() == "v1" || is_below_api(sent)) return std::nullopt;
  return resolved(sent);
}

std::vector<std::string> usual_segments(const std::vector<std::string>& segments) {
  std::vector<std::string> usual = segments;
  if (usual.size() > 1 && usual.back().empty()) usual.pop_back();
  const auto match = handlers::find_route(handlers::page_routes(), usual);
  if (!match) return usual;
  const auto names = base::split(match->route->path.substr(1), '/');
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (names[index].starts_with("{slug")) usual[index] = base::to_lower_ascii(usual[index]);
  }
  return usual;
}

std::optional<std::vector<std::string>> endpoint_segments(const web::Request& request) {
  const std::vector<std::string>& sent = request.segments;
  const auto begin = std::find_if(sent.begin(), sent.end(),
                                  [](const std::string& segment) { return !segment.empty(); });
  if (begin == sent.begin()) return std::nullopt;
  std::vector<std::string> segments(begin, sent.end());
  if (!handlers::find_route(handlers::routes(), segments)) return std::nullopt;
  return segments;
}

web::Request with_segments(const web::Request& request, std::vector<std::string> segments) {
  web::Request there = request;
  there.target.clear();
  for (const std::string& segment : segments) {
    there.target.append("/").append(base::percent_encode(segment));
  }
  const std::string_view query = web::raw_query(request.target);
  if (!query.empty()) there.target.append("?").append(base::percent_encode(query, kPlainInQuery));
  there.segments = std::move(segments);
  return there;
}

web::Response moved_to(const web::Request& there) {
  web::Response response;
  response.status = 301;
  response.set_header("Location", there.target);
  response.set_header("Cache-Control", "public, max-age=86400");
  return response;
}

}  // namespace goldsmith::worker
