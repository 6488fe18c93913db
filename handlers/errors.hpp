// Errors as handlers return them: with the address of the documentation filled in.
#pragma once

#include <cstdint>

#include "app/http/error.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

http::Response error(const Services& services, http::Error code, json::Object context = {});

// 429 with the seconds to wait.
http::Response rate_limited(const Services& services, std::int64_t retry_after);

}  // namespace goldsmith::handlers
