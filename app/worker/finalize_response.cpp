#include "app/worker/finalize_response.hpp"

#include <string>
#include <string_view>

#include "app/http/gzip.hpp"

namespace goldsmith::worker {
namespace {

constexpr std::string_view kExposedHeaders =
    "Content-Disposition, ETag, Repr-Digest, Retry-After, X-Svc-Build-Hash, RateLimit-Limit, "
    "RateLimit-Remaining, RateLimit-Reset";

// No inline script or style, no other host; markup is only made by the one library of templates.
constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types lit-html";

constexpr std::size_t kMinCompressed = 512;  // bytes; below, the wrapper eats the gain

void answer_condition(const http::Request& request, http::Response& response) {
  add_etag(response);
  const std::string tag = *response.header("ETag");
  if (request.if_none_match && http::matches_etag(*request.if_none_match, tag)) {
    response.status = 304;
    response.body.clear();
    // There is no body to decode, and some clients try.
    std::erase_if(response.headers, [](const auto& header) {
      return header.first == "Content-Encoding" || header.first == "Content-Type";
    });
  }
}

}  // namespace

// An empty body is that of a HEAD whose answer was not made: there is nothing to tag.
bool is_tagged(const http::Response& response) {
  const std::string* type = response.header("Content-Type");
  return response.status == 200 && !response.body.empty() &&
         (response.is_page || (type != nullptr && *type == http::kJsonContentType));
}

bool takes_gzip(const http::Request& request) {
  const auto accepted = request.headers.find("accept-encoding");
  return accepted != request.headers.end() && http::accepts_gzip(accepted->second);
}

void choose_coding(const http::Request& request, http::Response& response) {
  if (response.header("Vary") != nullptr) return;
  response.set_header("Vary", "Accept-Encoding");
  if (response.body.size() < kMinCompressed || !takes_gzip(request)) return;
  response.body = http::gzip(response.body);
  response.set_header("Content-Encoding", "gzip");
}

void add_etag(http::Response& response) {
  if (response.header("ETag") == nullptr) {
    response.set_header("ETag", http::strong_etag(response.body));
  }
}

namespace {

void tag(const http::Request& request, http::Response& response) {
  if (!is_tagged(response)) return;
  choose_coding(request, response);
  answer_condition(request, response);
}

}  // namespace

void finalize_page(const http::Request& request, http::Response& response) {
  tag(request, response);
  response.set_header("Content-Security-Policy", kPagePolicy);
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("X-Content-Type-Options", "nosniff");
}

void finalize_response(const http::Request& request, http::Response& response) {
  tag(request, response);
  response.set_header("Access-Control-Allow-Origin", "*");
  response.set_header("Access-Control-Expose-Headers", kExposedHeaders);
  response.set_header("X-Content-Type-Options", "nosniff");
}

}  // namespace goldsmith::worker
