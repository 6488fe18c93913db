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
web::Request read_request(const char* const* variables);

// False for a request without a method or with a target that is not a path. Such requests never
// reach the application.
bool is_usable(const web::Request& request);

// Status line, headers and the blank line, or those of them that a cached response lacks.
// Content-Length is the length of the body, also for HEAD, which does not send the body. If the
// body is empty, it is the value set by the application, or 0 if a response of that status has a
// length.
std::string response_head(const web::Request& request, const web::Response& response);

// What follows: the body, if it is sent and no file; of a cached response its own header lines as
// well. Valid as long as `response`.
std::string_view response_rest(const web::Request& request, const web::Response& response);

// False for HEAD requests and for statuses that never have a body.
bool sends_body(const web::Request& request, const web::Response& response);

// The records of a request, checked before libfcgi sees them. Version 2.4.2 of it writes behind a
// buffer and loses memory when it answers records about the connection, which a web server does not
// send, and ends the process if a parameter is said to be longer than memory.

// Reads the next request from a socket, and not a byte of the one that may follow: a BEGIN_REQUEST
// without padding, PARAMS with whole names and values, and STDIN, each of the latter to its end.
// Waits as long as the socket's SO_RCVTIMEO for each piece. "" if the connection ends before, or if
// something else comes.
std::string read_records(int socket);

// Whether exactly such a request has arrived at the socket, as is the rule: nginx sends it at once.
// Leaves it there, so that libfcgi can read it without a copy. Waits for the beginning as long as
// the socket's SO_RCVTIMEO; std::nullopt if there is none.
std::optional<bool> has_whole_request(int socket);

}  // namespace goldsmith::web
