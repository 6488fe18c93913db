// Answers a route's request from memory while that is what the handler would answer.
#pragma once

#include <string>

#include "app/worker/response_cache.hpp"
#include "handlers/routes.hpp"

namespace goldsmith::worker {

class CachedRoutes {
 public:
  // Calls the route's handler unless a kept response is still valid (handlers::CachePolicy says how
  // long).
  http::Response answer(const handlers::Call& call, const handlers::Route& route);

 private:
  ResponseCache cache_{16U << 20};
};

}  // namespace goldsmith::worker
