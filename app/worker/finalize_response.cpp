#include "app/worker/finalize_response.hpp"

#include <exception>
#include <string>
#include <string_view>

#include "app/http/cached_response.hpp"
#include "app/http/error.hpp"
#include "app/http/gzip.hpp"
#include "app/sys/log.hpp"
#include "db/database.hpp"

namespace goldsmith::worker {
namespace {

constexpr std::size_t kMinCompressed = 512;  // bytes; below, the wrapper eats the gain

constexpr std::string_view kTag = "ETag";

// A handler that has chosen says so by Vary.
void choose_coding(const http::Request& request, http::Response& response) {
  if (response.header("Vary") != nullptr) return;
  response.set_header(
      "Vary", response.varies_by_key ? "Accept-Encoding, Authorization" : "Accept-Encoding");
  if (response.body.size() < kMinCompressed || !takes_gzip(request)) return;
  response.body = http::gzip(response.body);
  response.set_header("Content-Encoding", "gzip");
}

// The bytes that a client gets unless it has them.
std::string_view tag_of(const http::Response& response) {
  if (response.cached) return response.cached->etag();
  return is_tagged(response) ? std::string_view(*response.header(kTag)) : std::string_view();
}

http::Response logged(http::Error error, const std::string& request_id, const std::string& cause) {
  sys::log(sys::LogLevel::error, "request failed",
           {{"id", request_id}, {"error", std::string(http::info(error).code)}, {"cause", cause}});
  return http::error_response(error, "");
}

}  // namespace

// An empty body is that of a HEAD whose answer was not made: there is nothing to tag.
bool is_tagged(const http::Response& response) {
  return response.status == 200 && !response.body.empty() && response.is_taggable;
}

bool takes_gzip(const http::Request& request) {
  const auto accepted = request.headers.find("accept-encoding");
  return accepted != request.headers.end() && http::accepts_gzip(accepted->second);
}

void complete_response(const http::Request& request, http::Response& response) {
  if (response.cached || !is_tagged(response)) return;
  choose_coding(request, response);
  if (response.header(kTag) == nullptr) {
    response.set_header(kTag, http::strong_etag(response.body));
  }
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

http::Response failure_response(const std::string& request_id, sys::Metrics& metrics) {
  try {
    throw;
  } catch (const db::Error& error) {
    metrics.database_errors.add();
    return logged(http::Error::query_failed, request_id, error.what());
  } catch (const std::exception& error) {
    return logged(http::Error::internal_error, request_id, error.what());
  } catch (...) {
    return logged(http::Error::internal_error, request_id, "an exception of an unknown type");
  }
}

}  // namespace goldsmith::worker
