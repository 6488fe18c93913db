// FastCGI messages as values: variables of CGI, and the records that carry them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/web/request.hpp"
#include "app/web/response.hpp"

namespace goldsmith::web {

// Converts between CGI variables and the values of this room. Pure, without libfcgi.

// Reads a null-terminated array of "NAME=value". The target is REQUEST_URI as the client sent it.
// The id is REQUEST_ID, or a new one if that is missing or not a plain token.
Request read_request(const char* const* variables);

// False for a request without a method or with a target that is not a path. Such requests never
// reach the application.
bool is_usable(const Request& request);

// Status line, headers and the blank line, or those of them that a cached response lacks.
// Content-Length is the length of the body, also for HEAD, which does not send the body. If the
// body is empty, it is the value set by the application, or 0 if a response of that status has a
// length.
std::string response_head(const Request& request, const Response& response);

// What follows: the body, if it is sent and no file; of a cached response its own header lines as
// well. Valid as long as `response`.
std::string_view response_rest(const Request& request, const Response& response);

// False for HEAD requests and for statuses that never have a body.
bool sends_body(const Request& request, const Response& response);

// Whether these records are what libfcgi may see: exactly one request, which is a BEGIN_REQUEST
// without padding, PARAMS with whole names and values, and STDIN, each of the latter to its end.
// std::nullopt if they may be the beginning of one. Version 2.4.2 of libfcgi writes behind a buffer
// and loses memory when it answers records about the connection, which a web server does not send,
// and ends the process if a parameter is said to be longer than memory.
std::optional<bool> is_request(std::string_view records);

}  // namespace goldsmith::web
