// What is found out about a request before it is dispatched.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/access/address.hpp"
#include "app/http/error.hpp"
#include "app/http/request.hpp"

namespace goldsmith::worker {

// What a front says about a request that it passes on (decisions R14, O18). The address of a
// request from one of `proxies` becomes that of the caller, and the front's id for it is taken from
// X-Goldsmith-Front, if it is 32 hexadecimal digits. Nobody else is believed.
void apply_forwarded(const access::TrustedProxies& proxies, http::Request& request);

// What is too large about a request: its target, or its headers; nothing when it is served
// (decision R13).
//
// nginx has the same limits for HTTP/1. With HTTP/2 it knows only the compressed size, and ends the
// connection without a word where that is over its buffers. So its buffers are larger than what is
// served, and the limits are kept here.
std::optional<http::Error> too_large(const http::Request& request);

// The segments of the page that is asked for, with `.`, `..` and repeated slashes resolved as
// browsers do. std::nullopt for the API: what is below /v1, as sent or when resolved as
// nginx does.
std::optional<std::vector<std::string>> page_segments(const http::Request& request);

}  // namespace goldsmith::worker
