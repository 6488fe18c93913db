#include "app/worker/finalize_response.hpp"

#include <string>
#include <string_view>

#include "app/http/gzip.hpp"
#include "app/http/kept_response.hpp"

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

constexpr std::string_view kTag = "ETag";

// A handler that has chosen says so by Vary.
void choose_coding(const http::Request& request, http::Response& response) {
  if (response.header("Vary") != nullptr) return;
  response.set_header("Vary", "Accept-Encoding");
  if (response.body.size() < kMinCompressed || !takes_gzip(request)) return;
  response.body = http::gzip(response.body);
  response.set_header("Content-Encoding", "gzip");
}

void tag(const http::Request& request, http::Response& response) {
  if (!is_tagged(response)) return;
  choose_coding(request, response);
  if (response.header(kTag) == nullptr) {
    response.set_header(kTag, http::strong_etag(response.body));
  }
}

// The bytes that a client gets unless it has them.
std::string_view tag_of(const http::Response& response) {
  if (response.kept) return response.kept->etag();
  return is_tagged(response) ? std::string_view(*response.header(kTag)) : std::string_view();
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

void complete_page(const http::Request& request, http::Response& response) {
  tag(request, response);
  response.set_header("Content-Security-Policy", kPagePolicy);
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("X-Content-Type-Options", "nosniff");
}

void complete_response(const http::Request& request, http::Response& response) {
  tag(request, response);
  response.set_header("Access-Control-Allow-Origin", "*");
  response.set_header("Access-Control-Expose-Headers", kExposedHeaders);
  response.set_header("X-Content-Type-Options", "nosniff");
}

void answer_condition(const http::Request& request, http::Response& response) {
  if (!request.if_none_match) return;
  const std::string_view tag = tag_of(response);
  if (tag.empty() || !http::matches_etag(*request.if_none_match, tag)) return;
  response.status = 304;
  response.body.clear();
  // There is no body to decode, and some clients try.
  std::erase_if(response.headers, [](const auto& header) {
    return header.first == "Content-Encoding" || header.first == "Content-Type";
  });
}

}  // namespace goldsmith::worker
