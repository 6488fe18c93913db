#include "app/worker/dispatch.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "app/http/error.hpp"
#include "app/sys/overloaded.hpp"
#include "app/sys/suggestion.hpp"
#include "app/sys/text.hpp"
#include "app/worker/finalize_response.hpp"
#include "app/worker/incoming.hpp"
#include "handlers/documents/text_error.hpp"
#include "handlers/endpoints.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/routes.hpp"

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

http::Error error_of(access::Denial denial) {
  switch (denial) {
    case access::Denial::api_disabled:
      return http::Error::api_disabled;
    case access::Denial::key_disabled:
      return http::Error::key_disabled;
    case access::Denial::key_expired:
      return http::Error::key_expired;
    case access::Denial::unauthorized:
      break;
  }
  return http::Error::unauthorized;
}

// Names the parameters that are ignored and look like misspelt ones (decision R4).
void name_misspelt(const http::Request& request, const handlers::Route& route,
                   http::Response& response) {
  const auto names = http::undeclared_names(http::raw_query(request.target), route.parameters);
  if (names.empty()) return;
  std::vector<std::string_view> known;
  for (const http::Parameter& parameter : route.parameters) known.push_back(parameter.name);
  std::string list;
  for (const std::string& name : names) {
    const std::string_view meant = sys::nearest(name, known);
    if (meant.empty()) continue;
    list.append(list.empty() ? "" : ", ").append(sys::percent_encode(name));
    list.append(";did-you-mean=").append(meant);
  }
  if (!list.empty()) response.set_header("X-Svc-Ignored-Parameters", list);
}

bool has_all(const access::Caller& caller, std::span<const access::Scope> scopes) {
  return std::all_of(scopes.begin(), scopes.end(),
                     [&](access::Scope scope) { return caller.has(scope); });
}

void finish(const http::Request& request, http::Response& response, std::string_view fixed_lines) {
  complete_response(request, response);
  response.fixed_lines = fixed_lines;
  answer_condition(request, response);
}

void add_rate_headers(const access::WindowStatus& rate, http::Response& response) {
  response.set_header("RateLimit-Limit", std::to_string(rate.limit));
  response.set_header("RateLimit-Remaining", std::to_string(rate.remaining()));
  response.set_header("RateLimit-Reset", std::to_string(rate.seconds_left));
}

http::Response refuse(const handlers::Services& services, const access::Refusal& refusal) {
  const handlers::Errors& errors = services.errors;
  return std::visit(
      sys::overloaded{
          [&](access::Denial denial) { return errors.make(error_of(denial)); },
          [&](const domain::RateLimited& limited) { return errors.rate_limited(limited); }},
      refusal);
}

// Lists every scope that the endpoint needs, not only those that the key lacks (decision R1).
http::Response insufficient_scope(const handlers::Services& services,
                                  const handlers::Route& route) {
  return services.errors.make(http::Error::insufficient_scope,
                              {{"required", json::array_of(route.scopes, access::to_string)}});
}

// An error of the API as the route shows its errors; `title` and `text` are for a page.
http::Response shaped(const handlers::Services& services, http::Response error,
                      handlers::ErrorShape shape, std::string_view title, std::string_view text) {
  switch (shape) {
    case handlers::ErrorShape::text:
      return handlers::documents::text_error(std::move(error));
    case handlers::ErrorShape::json:
      return error;
    case handlers::ErrorShape::page:
      break;
  }
  return services.site.error(error.status, title, text);
}

http::Response method_not_allowed_of(const handlers::Services& services,
                                     handlers::ErrorShape shape) {
  http::Response response = shaped(services, method_not_allowed(), shape, "Method not allowed",
                                   "Pages can only be read.");
  response.set_header("Allow", "GET, HEAD");
  return response;
}

http::Response refused_page(const handlers::Services& services, const domain::RateLimited& refusal,
                            handlers::ErrorShape shape) {
  const std::int64_t seconds = refusal.wait.count();
  http::Response response =
      shaped(services, services.errors.rate_limited(refusal), shape, "Too many requests",
             "Please wait " + handlers::pages::counted(seconds, "second", "seconds") +
                 ", then load the page again.");
  response.reason = domain::to_string(refusal.limit);
  response.set_header("Retry-After", std::to_string(seconds));
  response.set_header("Cache-Control", "no-store");
  return response;
}

}  // namespace

Dispatched Dispatcher::answer(const http::Request& request) {
  if (const auto too_much = too_large(request)) return {services_.errors.make(*too_much)};
  if (is_preflight(request)) return {preflight()};
  try {
    return answer_caller(request,
                         services_.gate.admit(request.remote_address, request.authorization));
  } catch (...) {
    return {failure_response(request.id, services_.metrics)};
  }
}

Dispatched Dispatcher::answer_caller(const http::Request& request,
                                     const access::GateDecision& decision) {
  Dispatched dispatched;
  dispatched.tier = decision.caller.tier();
  dispatched.rate = decision.rate;
  if (decision.refusal) {
    dispatched.response = refuse(services_, *decision.refusal);
    return dispatched;
  }
  const std::optional<handlers::Match> match =
      handlers::find_route(handlers::routes(), request.segments);
  if (!match) {
    dispatched.response = services_.errors.make(http::Error::not_found);
    return dispatched;
  }
  dispatched.route = match->route->name;
  try {
    dispatched.response = answer_match(request, decision.caller, *match);
  } catch (...) {
    dispatched.response = failure_response(request.id, services_.metrics);
  }
  return dispatched;
}

// Method, scope, endpoint.
http::Response Dispatcher::answer_match(const http::Request& request, const access::Caller& caller,
                                        const handlers::Match& match) {
  if (!is_served(request)) return method_not_allowed();
  if (!has_all(caller, match.route->scopes)) return insufficient_scope(services_, *match.route);
  const http::Query query(http::raw_query(request.target), match.route->parameters);
  http::Response response =
      std::get<http::Response>(routes_.answer({request, match.path, caller, query}, *match.route));
  name_misspelt(request, *match.route, response);
  return response;
}

// The slot comes first: a caller for whom there is none pays nothing.
http::Response Dispatcher::page_of(const http::Request& request, const handlers::Match& match) {
  const handlers::Route& route = *match.route;
  if (!is_served(request)) return method_not_allowed_of(services_, route.errors);
  const http::Query query(http::raw_query(request.target), route.parameters,
                          http::Query::Repeated::joined);
  access::Caller caller;
  caller.address = request.remote_address;
  domain::Slot slot;  // until the page is made
  const domain::Permit may_make{[&]() -> domain::Permit::Answer {
    if (route.price == handlers::Price::nothing) return std::nullopt;
    if (route.price == handlers::Price::page) {
      domain::Admission admission = services_.compile_stack.limits.make_page();
      if (const auto* refusal = std::get_if<domain::RateLimited>(&admission)) return *refusal;
      slot = std::get<domain::Slot>(std::move(admission));
    }
    return services_.gate.count_page(caller.address);
  }};
  auto answer = routes_.answer({request, match.path, caller, query}, route, &may_make);
  if (const auto* refusal = std::get_if<domain::RateLimited>(&answer)) {
    return refused_page(services_, *refusal, route.errors);
  }
  http::Response response = std::get<http::Response>(std::move(answer));
  const bool is_text = route.errors == handlers::ErrorShape::text && response.status >= 400;
  if (is_text) response = handlers::documents::text_error(std::move(response));
  name_misspelt(request, route, response);
  return response;
}

Dispatched Dispatcher::answer_page(const http::Request& request,
                                   const std::vector<std::string>& segments) {
  const handlers::pages::Site& site = services_.site;
  Dispatched dispatched;
  auto match = handlers::find_route(handlers::archive_routes(), segments);
  dispatched.is_archive = match.has_value();
  if (!match && site.enabled()) {
    match = handlers::find_route(handlers::page_routes(), segments);
  }
  const handlers::ErrorShape shape = match ? match->route->errors : handlers::ErrorShape::page;
  if (const auto too_much = too_large(request)) {
    dispatched.response =
        shaped(services_, services_.errors.make(*too_much), shape, "The request is too large",
               "The address or the headers are too long.");
    return dispatched;
  }
  try {
    if (match) dispatched.route = match->route->name;
    dispatched.response = match ? page_of(request, *match) : site.not_found();
  } catch (...) {
    dispatched.response =
        shaped(services_, failure_response(request.id, services_.metrics), shape,
               "Something went wrong", "The page could not be made. Please try again in a moment.");
  }
  return dispatched;
}

Dispatched Dispatcher::dispatch(const http::Request& request) {
  services_.compile_stack.time.begin();
  if (auto status = handlers::answer_status(services_, request)) {
    return {std::move(*status), "status"};
  }
  if (const auto segments = page_segments(request)) {
    Dispatched page = answer_page(request, *segments);
    // Archives are for any site, as the download is (decision R2).
    finish(request, page.response, page.is_archive ? kApiLines : kPageLines);
    return page;
  }
  Dispatched dispatched = answer(request);
  if (dispatched.rate) add_rate_headers(*dispatched.rate, dispatched.response);
  finish(request, dispatched.response, kApiLines);
  return dispatched;
}

}  // namespace goldsmith::worker
