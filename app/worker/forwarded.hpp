// What a front says about a request that it passes on (decisions R14, O18).
#pragma once

#include "app/access/address.hpp"
#include "app/http/request.hpp"

namespace goldsmith::worker {

// The address of a request from one of `proxies` becomes that of the caller, and the front's id for
// it is taken from X-Goldsmith-Front, if it is 32 hexadecimal digits. Nobody else is believed.
void apply_forwarded(const access::TrustedProxies& proxies, http::Request& request);

}  // namespace goldsmith::worker
