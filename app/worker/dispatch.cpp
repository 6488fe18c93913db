#include "app/worker/dispatch.hpp"

#include <algorithm>
#include <optional>

#include "app/http/error.hpp"
#include "app/sys/overloaded.hpp"
#include "app/worker/failure.hpp"
#include "app/worker/finalize_response.hpp"
#include "app/worker/page_request.hpp"
#include "app/worker/request_size.hpp"
#include "handlers/documents/text_error.hpp"
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

bool has_all(const access::Caller& caller, const std::vector<access::Scope>& scopes) {
  return std::all_of(scopes.begin(), scopes.end(),
                     [&](access::Scope scope) { return caller.has(scope); });
}

// A kept response is complete.
void finish(const http::Request& request, http::Response& response, Completion complete) {
  if (!response.kept) complete(request, response);
  answer_condition(request, response);
}

void add_rate_headers(const access::RateStatus& rate, http::Response& response) {
  response.set_header("RateLimit-Limit", std::to_string(rate.limit));
  response.set_header("RateLimit-Remaining", std::to_string(rate.remaining));
  response.set_header("RateLimit-Reset", std::to_string(rate.reset_seconds));
}

}  // namespace

http::Response Dispatcher::refuse(const access::Refusal& refusal) const {
  const handlers::Errors& errors = dependencies_.errors;
  return std::visit(
      sys::overloaded{
          [&](access::Denial denial) { return errors.make(error_of(denial)); },
          [&](const domain::RateLimited& limited) { return errors.rate_limited(limited); }},
      refusal);
}

// Lists every scope that the endpoint needs, not only those that the key lacks (decision R1).
http::Response Dispatcher::insufficient_scope(const handlers::Route& route) const {
  json::Array required;
  for (const access::Scope scope : route.scopes) required.push_back(access::to_string(scope));
  return dependencies_.errors.make(http::Error::insufficient_scope,
                                   {{"required", std::move(required)}});
}

Dispatched Dispatcher::answer(const http::Request& request) {
  if (const auto too_much = too_large(request)) return {dependencies_.errors.make(*too_much)};
  if (is_preflight(request)) return {preflight()};
  try {
    return answer_caller(request,
                         dependencies_.gate.admit(request.remote_address, request.authorization));
  } catch (...) {
    return {failure_response(request.id, dependencies_.metrics)};
  }
}

Dispatched Dispatcher::answer_caller(const http::Request& request,
                                     const access::Admission& admission) {
  Dispatched dispatched;
  dispatched.tier = admission.caller.tier();
  dispatched.rate = admission.rate;
  if (admission.refusal) {
    dispatched.response = refuse(*admission.refusal);
    return dispatched;
  }
  const std::optional<handlers::Match> match =
      handlers::find_route(handlers::routes(), request.segments);
  if (!match) {
    dispatched.response = dependencies_.errors.make(http::Error::not_found);
    return dispatched;
  }
  dispatched.route = match->route->name;
  try {
    dispatched.response = answer_match(request, admission.caller, *match);
  } catch (...) {
    dispatched.response = failure_response(request.id, dependencies_.metrics);
  }
  return dispatched;
}

// Method, scope, endpoint.
http::Response Dispatcher::answer_match(const http::Request& request, const access::Caller& caller,
                                        const handlers::Match& match) {
  if (!is_served(request)) return method_not_allowed();
  if (!has_all(caller, match.route->scopes)) return insufficient_scope(*match.route);
  return dependencies_.routes.answer({request, match.path, caller}, *match.route,
                                     complete_response);
}

http::Response Dispatcher::shaped(http::Response error, handlers::ErrorShape shape,
                                  std::string_view title, std::string_view text) const {
  switch (shape) {
    case handlers::ErrorShape::text:
      return handlers::documents::text_error(std::move(error));
    case handlers::ErrorShape::json:
      return error;
    case handlers::ErrorShape::page:
      break;
  }
  return dependencies_.site.error(error.status, title, text);
}

http::Response Dispatcher::page_of(const http::Request& request, const handlers::Match& match) {
  if (!is_served(request)) {
    http::Response response = shaped(method_not_allowed(), match.route->errors,
                                     "Method not allowed", "Pages can only be read.");
    response.set_header("Allow", "GET, HEAD");
    return response;
  }
  const http::Request joined = with_joined_lists(request, match.route->parameters);
  access::Caller caller;
  caller.address = request.remote_address;
  return dependencies_.routes.answer({joined, match.path, caller}, *match.route, complete_page);
}

Dispatched Dispatcher::answer_page(const http::Request& request,
                                   const std::vector<std::string>& segments) {
  const handlers::pages::Site& site = dependencies_.site;
  Dispatched dispatched;
  auto match = handlers::find_route(handlers::archive_routes(), segments);
  dispatched.is_archive = match.has_value();
  if (!match && site.enabled()) {
    match = handlers::find_route(handlers::pages::page_routes(), segments);
  }
  const handlers::ErrorShape shape = match ? match->route->errors : handlers::ErrorShape::page;
  if (const auto too_much = too_large(request)) {
    dispatched.response =
        shaped(dependencies_.errors.make(*too_much), shape, "The request is too large",
               "The address or the headers are too long.");
    return dispatched;
  }
  try {
    if (match) dispatched.route = match->route->name;
    dispatched.response = match ? page_of(request, *match) : site.not_found();
  } catch (...) {
    dispatched.response =
        shaped(failure_response(request.id, dependencies_.metrics), shape, "Something went wrong",
               "The page could not be made. Please try again in a moment.");
  }
  return dispatched;
}

Dispatched Dispatcher::dispatch(const http::Request& request) {
  if (auto status = dependencies_.status.answer(request)) return {std::move(*status), "status"};
  if (const auto segments = page_segments(request)) {
    Dispatched page = answer_page(request, *segments);
    // Archives are for any site, as the download is (decision R2).
    finish(request, page.response, page.is_archive ? complete_response : complete_page);
    return page;
  }
  Dispatched dispatched = answer(request);
  if (dispatched.rate) add_rate_headers(*dispatched.rate, dispatched.response);
  finish(request, dispatched.response, complete_response);
  return dispatched;
}

}  // namespace goldsmith::worker
