// How large a request may be (decision R13).
#pragma once

#include <optional>

#include "app/http/error.hpp"
#include "app/http/request.hpp"

namespace goldsmith::worker {

// What is too large about a request: its target, or its headers; nothing when it is served.
//
// nginx has the same limits for HTTP/1. With HTTP/2 it knows only the compressed size, and ends the
// connection without a word where that is over its buffers. So its buffers are larger than what is
// served, and the limits are kept here.
std::optional<http::Error> too_large(const http::Request& request);

}  // namespace goldsmith::worker
