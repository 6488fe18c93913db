#include "app/worker/dispatch.hpp"

#include <optional>

#include "app/access/settings.hpp"
#include "app/http/error.hpp"
#include "app/worker/failure.hpp"
#include "app/worker/finish.hpp"
#include "handlers/routes.hpp"

namespace goldsmith::worker {
namespace {

constexpr std::string_view served_methods = "GET, HEAD, OPTIONS";

// Any path below /v1, known or not: a browser asks before it knows (decision R2).
bool is_preflight(const http::Request& request) {
  return request.method == "OPTIONS" && !request.segments.empty() &&
         request.segments.front() == "v1";
}

http::Response preflight() {
  http::Response response;
  response.status = 204;
  response.set_header("Access-Control-Allow-Methods", served_methods);
  response.set_header("Access-Control-Allow-Headers", "Authorization, If-None-Match, Range");
  response.set_header("Access-Control-Max-Age", "86400");
  return response;
}

bool is_served(const http::Request& request) {
  return request.method == "GET" || request.is_head();
}

http::Response method_not_allowed() {
  http::Response response = http::error_response(http::Error::method_not_allowed, "");
  response.set_header("Allow", served_methods);
  return response;
}

// Everybody is an anonymous caller with every scope. This is the place of the gate: the switch, the
// key and the general limits, in this order, each of which may answer instead of the endpoint.
access::Caller admit(const http::Request& request) {
  const access::Settings settings;
  access::Caller caller;
  caller.address = request.remote_address;
  caller.scopes.assign(access::all_scopes().begin(), access::all_scopes().end());
  caller.per_minute = settings.anonymous_per_minute;
  caller.per_day = settings.anonymous_per_day;
  return caller;
}

// The order of checks of decision R1. Fills in what is known of the exchange as it goes, so that a
// failure in its middle is logged with its route.
http::Response answer(const http::Request& request, handlers::Services& services,
                      Exchange& exchange) {
  if (is_preflight(request)) return preflight();
  const access::Caller caller = admit(request);
  exchange.tier = caller.tier();
  const std::optional<handlers::Match> match = handlers::find_route(request.segments);
  if (!match) return http::error_response(http::Error::not_found, "");
  exchange.route = match->route->name;
  if (!is_served(request)) return method_not_allowed();
  return match->route->handler({request, match->path, caller, services});
}

}  // namespace

Exchange dispatch(const http::Request& request, handlers::Services& services) {
  Exchange exchange;
  try {
    exchange.response = answer(request, services, exchange);
  } catch (...) {
    exchange.response = failure_response(request.id);
  }
  finish(request, exchange.response);
  return exchange;
}

}  // namespace goldsmith::worker
