#include "app/worker/finish.hpp"

#include <string>
#include <string_view>

namespace goldsmith::worker {
namespace {

constexpr std::string_view exposed_headers =
    "Content-Disposition, ETag, Retry-After, X-Svc-Build-Hash, RateLimit-Limit, "
    "RateLimit-Remaining, RateLimit-Reset";

// An empty body is that of a HEAD whose answer was not made: there is nothing to tag.
bool is_tagged(const http::Response& response) {
  const std::string* type = response.header("Content-Type");
  return response.status == 200 && !response.body.empty() && type != nullptr &&
         *type == http::json_content_type && response.header("ETag") == nullptr;
}

void answer_condition(const http::Request& request, http::Response& response) {
  const std::string tag = http::strong_etag(response.body);
  response.set_header("ETag", tag);
  if (request.if_none_match && http::matches_etag(*request.if_none_match, tag)) {
    response.status = 304;
    response.body.clear();
  }
}

}  // namespace

void finish(const http::Request& request, http::Response& response) {
  if (is_tagged(response)) answer_condition(request, response);
  response.set_header("Access-Control-Allow-Origin", "*");
  response.set_header("Access-Control-Expose-Headers", exposed_headers);
  response.set_header("X-Content-Type-Options", "nosniff");
}

}  // namespace goldsmith::worker
