// Errors as handlers return them: with the address of the documentation filled in.
#pragma once

#include <cstdint>

#include "app/http/error.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

http::Response error(const Services& services, http::Error code, json::Object context = {});

// What ran out; for the metrics.
enum class Limit { requests, compiles, flood_brake, builds };

// 429 with the seconds to wait.
http::Response rate_limited(const Services& services, Limit limit, std::int64_t retry_after);

}  // namespace goldsmith::handlers
