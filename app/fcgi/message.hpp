// Converts between CGI variables and the values of the http layer. Pure, without libfcgi.
#pragma once

#include <string>
#include <string_view>

#include "app/http/request.hpp"
#include "app/http/response.hpp"

namespace goldsmith::fcgi {

// Reads a null-terminated array of "NAME=value". The target is REQUEST_URI as the client sent it.
// The id is REQUEST_ID, or a new one if that is missing or not a plain token.
http::Request read_request(const char* const* variables);

// False for a request without a method or with a target that is not a path. Such requests never
// reach the application.
bool is_usable(const http::Request& request);

// Status line, headers and the blank line, or those of them that a cached response lacks.
// Content-Length is the length of the body, also for HEAD, which does not send the body. If the
// body is empty, it is the value set by the application, or 0 if a response of that status has a
// length.
std::string response_head(const http::Request& request, const http::Response& response);

// What follows: the body, if it is sent and no file; of a cached response its own header lines as
// well. Valid as long as `response`.
std::string_view response_rest(const http::Request& request, const http::Response& response);

// False for HEAD requests and for statuses that never have a body.
bool sends_body(const http::Request& request, const http::Response& response);

}  // namespace goldsmith::fcgi
