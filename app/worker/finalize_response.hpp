// What every response gets, whatever made it.
#pragma once

#include <string>
#include <string_view>

#include "app/http/request.hpp"
#include "app/http/response.hpp"
#include "app/sys/metrics.hpp"

namespace goldsmith::worker {

// Response::fixed_lines of the API and of archives, which any site may read (decision R2).
inline constexpr std::string_view kApiLines =
    "Access-Control-Allow-Origin: *\r\n"
    "Access-Control-Expose-Headers: Content-Disposition, ETag, Repr-Digest, Retry-After, "
    "X-Svc-Build-Hash, X-Svc-Ignored-Parameters, X-Svc-Toolchain, RateLimit-Limit, "
    "RateLimit-Remaining, RateLimit-Reset\r\n"
    "X-Content-Type-Options: nosniff\r\n";

// The header lines of web pages (decision R18). No inline script or style, no other host, and no
// script makes markup of a text.
inline constexpr std::string_view kPageLines =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n";

// True for what is compressed, gets an entity tag and can be cached: a 200 of JSON or of the web
// pages with a body.
bool is_tagged(const http::Response& response);

// True when the client takes gzip.
bool takes_gzip(const http::Request& request);

// Compresses the body of what is tagged where that helps and the client takes it, and adds the
// strong tag (decision R11) unless the response has one. It depends on the request by its coding
// alone, so the result can be cached. Downloads keep the validators that they set themselves. To be
// called once; does nothing with a cached response.
void complete_response(const http::Request& request, http::Response& response);

// Makes a 304 of a tagged response if the client has its bytes (decision R11).
void answer_condition(const http::Request& request, http::Response& response);

// The last resort. For use in a catch block: turns the exception that is being handled into a
// response with a fixed body, `query_failed` for db::Error and `internal_error` for all else, logs
// its text under the request's id, and counts it.
http::Response failure_response(const std::string& request_id, sys::Metrics& metrics);

}  // namespace goldsmith::worker
