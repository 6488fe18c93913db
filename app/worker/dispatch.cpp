#include "app/worker/dispatch.hpp"

#include <algorithm>
#include <optional>

#include "app/access/gate.hpp"
#include "app/http/error.hpp"
#include "app/worker/failure.hpp"
#include "app/worker/finalize_response.hpp"
#include "app/worker/request_size.hpp"
#include "handlers/errors.hpp"
#include "handlers/routes.hpp"
#include "handlers/status.hpp"

namespace goldsmith::worker {
namespace {

constexpr std::string_view kServedMethods = "GET, HEAD, OPTIONS";

// Any path below /v1, known or not: a browser asks before it knows (decision R2).
bool is_preflight(const http::Request& request) {
  return request.method == "OPTIONS" && !request.segments.empty() &&
         request.segments.front() == "v1";
}

http::Response preflight() {
  http::Response response;
  response.status = 204;
  response.set_header("Access-Control-Allow-Methods", kServedMethods);
  response.set_header("Access-Control-Allow-Headers", "Authorization, If-None-Match, Range");
  response.set_header("Access-Control-Max-Age", "86400");
  return response;
}

bool is_served(const http::Request& request) {
  return request.method == "GET" || request.is_head();
}

http::Response method_not_allowed() {
  http::Response response = http::error_response(http::Error::method_not_allowed, "");
  response.set_header("Allow", kServedMethods);
  return response;
}

http::Response refusal_response(const access::Admission& admission,
                                const handlers::Services& services) {
  switch (*admission.refusal) {
    case access::Refusal::api_disabled:
      return handlers::error(services, http::Error::api_disabled);
    case access::Refusal::unauthorized:
      return handlers::error(services, http::Error::unauthorized);
    case access::Refusal::key_disabled:
      return handlers::error(services, http::Error::key_disabled);
    case access::Refusal::key_expired:
      return handlers::error(services, http::Error::key_expired);
    case access::Refusal::rate_limited:
      break;
  }
  return handlers::rate_limited(services, handlers::Limit::requests, admission.retry_after);
}

bool has_all(const access::Caller& caller, const std::vector<access::Scope>& scopes) {
  return std::all_of(scopes.begin(), scopes.end(),
                     [&](access::Scope scope) { return caller.has(scope); });
}

// Lists every scope that the endpoint needs, not only those that the key lacks (decision R1).
http::Response insufficient_scope(const handlers::Route& route,
                                  const handlers::Services& services) {
  json::Array required;
  for (const access::Scope scope : route.scopes) required.push_back(access::to_string(scope));
  return handlers::error(services, http::Error::insufficient_scope,
                         {{"required", std::move(required)}});
}

// Route, method, scope, endpoint.
http::Response answer_admitted(const http::Request& request, const access::Caller& caller,
                               handlers::Services& services, CachedRoutes& kept,
                               Dispatched& dispatched) {
  const std::optional<handlers::Match> match = handlers::find_route(request.segments);
  if (!match) return handlers::error(services, http::Error::not_found);
  dispatched.route = match->route->name;
  if (!is_served(request)) return method_not_allowed();
  if (!has_all(caller, match->route->scopes)) return insufficient_scope(*match->route, services);
  return kept.answer({request, match->path, caller, services}, *match->route);
}

void add_rate_headers(const access::RateStatus& rate, http::Response& response) {
  response.set_header("RateLimit-Limit", std::to_string(rate.limit));
  response.set_header("RateLimit-Remaining", std::to_string(rate.remaining));
  response.set_header("RateLimit-Reset", std::to_string(rate.reset_seconds));
}

// The order of checks of decision R1. Fills in what is known of the dispatched as it goes, so that
// a failure in its middle is logged with its route and answered with the limits that it counted in.
void answer(const http::Request& request, handlers::Services& services, CachedRoutes& kept,
            Dispatched& dispatched, std::optional<access::RateStatus>& rate) {
  if (const auto too_much = too_large(request)) {
    dispatched.response = handlers::error(services, *too_much);
    return;
  }
  if (is_preflight(request)) {
    dispatched.response = preflight();
    return;
  }
  const access::Admission admission =
      services.gate.admit(request.remote_address, request.authorization);
  dispatched.tier = admission.caller.tier();
  rate = admission.rate;
  dispatched.response =
      admission.refusal ? refusal_response(admission, services)
                        : answer_admitted(request, admission.caller, services, kept, dispatched);
}

}  // namespace

Dispatched dispatch(const http::Request& request, handlers::Services& services,
                    CachedRoutes& kept) {
  Dispatched dispatched;
  if (auto status = handlers::answer_status(request, services)) {
    dispatched.route = "status";
    dispatched.response = std::move(*status);
    return dispatched;
  }
  std::optional<access::RateStatus> rate;
  try {
    answer(request, services, kept, dispatched, rate);
  } catch (...) {
    dispatched.response = failure_response(request.id, services.metrics);
  }
  if (rate) add_rate_headers(*rate, dispatched.response);
  finalize_response(request, dispatched.response);
  return dispatched;
}

}  // namespace goldsmith::worker
