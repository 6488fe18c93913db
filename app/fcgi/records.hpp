// The records of a request, checked before libfcgi sees them. Version 2.4.2 of it writes behind a
// buffer and loses memory when it answers records about the connection, which a web server does not
// send, and ends the process if a parameter is said to be longer than memory.
#pragma once

#include <optional>
#include <string>

namespace goldsmith::fcgi {

// Reads the next request from a socket, and not a byte of the one that may follow: a BEGIN_REQUEST
// without padding, PARAMS with whole names and values, and STDIN, each of the latter to its end.
// Waits as long as the socket's SO_RCVTIMEO for each piece. "" if the connection ends before, or if
// something else comes.
std::string read_records(int socket);

// Whether exactly such a request has arrived at the socket, as is the rule: nginx sends it at once.
// Leaves it there, so that libfcgi can read it without a copy. Waits for the beginning as long as
// the socket's SO_RCVTIMEO; std::nullopt if there is none.
std::optional<bool> has_whole_request(int socket);

}  // namespace goldsmith::fcgi
