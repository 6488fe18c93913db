// From request to response: the order of checks of decision R1, called by the worker and by tests.
#pragma once

#include <string>

#include "app/http/request.hpp"
#include "app/http/response.hpp"
#include "app/worker/cached_routes.hpp"
#include "handlers/services.hpp"

namespace goldsmith::worker {

struct Dispatched {
  http::Response response;
  std::string route = "-";         // name of the matched route, "-" when none
  std::string tier = "anonymous";  // or "key"
};

// Never throws: a db::Error becomes 500 query_failed, anything else 500 internal_error, with the
// details in the log under the request's id.
Dispatched dispatch(const http::Request& request, handlers::Services& services, CachedRoutes& kept);

}  // namespace goldsmith::worker
