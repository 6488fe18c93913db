// Between CGI variables and the values of the http layer. Pure: no libfcgi here.
#pragma once

#include <string>

#include "app/http/request.hpp"
#include "app/http/response.hpp"

namespace goldsmith::fcgi {

// Reads a null-terminated array of "NAME=value". What is routed on is REQUEST_URI, as the client
// sent it; the id is REQUEST_ID, or a new one where that is missing or no plain token.
http::Request read_request(const char* const* variables);

// False for a request that no application should see: no method, or a target that is no path.
bool is_usable(const http::Request& request);

// Status line, headers and the blank line. Content-Length is that of the body, which a HEAD does
// not send; without a body it is what the application set, or 0 where a response of that kind has
// one.
std::string response_head(const http::Request& request, const http::Response& response);

// False for HEAD and for statuses that never have a body.
bool sends_body(const http::Request& request, const http::Response& response);

}  // namespace goldsmith::fcgi
