// From request to response. The checks come in this order (decision R1): is the API enabled, who
// calls, rate limit, route and method, scopes, and then the endpoint's own.
#pragma once

#include <optional>
#include <string>

#include "app/access/gate.hpp"
#include "app/http/request.hpp"
#include "app/http/response.hpp"
#include "app/worker/cached_routes.hpp"
#include "handlers/services.hpp"

namespace goldsmith::worker {

// What happened to a request.
struct Dispatched {
  http::Response response;
  std::string_view route = "-";                   // name of the matched route, "-" if there is none
  std::string_view tier = "anonymous";            // or "key"
  std::optional<access::WindowStatus> rate = {};  // see access::GateDecision
  bool is_archive = false;                        // at /archives/, outside of the API
};

class Dispatcher {
 public:
  explicit Dispatcher(handlers::Services& services) : services_(services), routes_(services) {}

  // Never throws: a db::Error becomes 500 query_failed, anything else 500 internal_error, with the
  // details in the log under the request's id. What was known before the failure is in the result.
  Dispatched dispatch(const http::Request& request);

 private:
  // Answers a path outside of the API.
  Dispatched answer_page(const http::Request& request, const std::vector<std::string>& segments);
  http::Response page_of(const http::Request& request, const handlers::Match& match);
  // Makes the checks, in their order.
  Dispatched answer(const http::Request& request);
  Dispatched answer_caller(const http::Request& request, const access::GateDecision& decision);
  http::Response answer_match(const http::Request& request, const access::Caller& caller,
                              const handlers::Match& match);

  handlers::Services& services_;
  CachedRoutes routes_;
};

}  // namespace goldsmith::worker
