#include "app/worker/dispatch.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "app/base/text.hpp"
#include "app/web/error.hpp"
#include "app/worker/page_paths.hpp"
#include "app/worker/responses.hpp"
#include "handlers/documents/documents.hpp"
#include "handlers/endpoints.hpp"
#include "handlers/pages/language.hpp"
#include "handlers/routes.hpp"

namespace goldsmith::worker {

namespace pages = handlers::pages;

namespace {

using pages::tr;
using pages::tr_plural;

constexpr std::size_t kIdDigits = 32;

std::string_view header(const web::Request& request, std::string_view name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string_view() : found->second;
}

bool is_id(std::string_view text) {
  return text.size() == kIdDigits &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Bytes.
constexpr std::size_t kLongestTarget = 8192;
constexpr std::size_t kLongestHeader = 8192;
constexpr std::size_t kAllHeaders = 32'768;

constexpr std::string_view kServedMethods = "GET, HEAD, OPTIONS";

// Any path below /v1, known or not: a browser asks before it knows (decision R2).
bool is_preflight(const web::Request& request) {
  return request.method == "OPTIONS" && !request.segments.empty() &&
         request.segments.front() == "v1";
}

web::Response preflight() {
  web::Response response;
  response.status = 204;
  response.set_header("Access-Control-Allow-Methods", kServedMethods);
  response.set_header("Access-Control-Allow-Headers", "Authorization, If-None-Match, Range");
  response.set_header("Access-Control-Max-Age", "86400");
  return response;
}

bool is_served(const web::Request& request) { return request.method == "GET" || request.is_head(); }

web::Response method_not_allowed() {
  web::Response response = web::error_response(domain::Error::method_not_allowed, "");
  response.set_header("Allow", kServedMethods);
  return response;
}

// Names the parameters that are ignored and look like misspelt ones (decision R4).
void name_misspelt(const web::Request& request, const handlers::Route& route,
                   web::Response& response) {
  const auto names = web::undeclared_names(web::raw_query(request.target), route.parameters);
  if (names.empty()) return;
  std::vector<std::string_view> known;
  for (const web::Parameter& parameter : route.parameters) known.push_back(parameter.name);
  std::string list;
  for (const std::string& name : names) {
    const std::string_view meant = base::nearest(name, known);
    if (meant.empty()) continue;
    list.append(list.empty() ? "" : ", ").append(base::percent_encode(name));
    list.append(";did-you-mean=").append(meant);
  }
  if (!list.empty()) response.set_header("X-Svc-Ignored-Parameters", list);
}

bool has_all(const limits::Caller& caller, std::span<const limits::Scope> scopes) {
  return std::all_of(scopes.begin(), scopes.end(),
                     [&](limits::Scope scope) { return caller.has(scope); });
}

void finish(const web::Request& request, web::Response& response, std::string_view fixed_lines) {
  complete_response(request, response);
  response.fixed_lines = fixed_lines;
  answer_condition(request, response);
}

void add_rate_headers(const limits::WindowStatus& rate, web::Response& response) {
  response.set_header("RateLimit-Limit", std::to_string(rate.limit));
  response.set_header("RateLimit-Remaining", std::to_string(rate.remaining()));
  response.set_header("RateLimit-Reset", std::to_string(rate.seconds_left));
}

// Lists every scope that the endpoint needs, not only those that the key lacks (decision R1).
web::Response insufficient_scope(const handlers::Services& services, const handlers::Route& route) {
  return services.errors.make(domain::Error::insufficient_scope,
                              {{"required", json::array_of(route.scopes, limits::to_string)}});
}

// An error of the API as the route shows its errors; `title` and `text` are for a page.
web::Response shaped(const handlers::Services& services, web::Response error,
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

web::Response method_not_allowed_of(const handlers::Services& services,
                                    handlers::ErrorShape shape) {
  web::Response response = shaped(services, method_not_allowed(), shape, tr("Method not allowed"),
                                  tr("Pages can only be read."));
  response.set_header("Allow", "GET, HEAD");
  return response;
}

web::Response refused_page(const handlers::Services& services, const domain::RateLimited& refusal,
                           handlers::ErrorShape shape) {
  const std::int64_t seconds = refusal.wait.count();
  web::Response response =
      shaped(services, services.errors.rate_limited(refusal), shape, tr("Too many requests"),
             tr_plural("Please wait {n} second, then load the page again.",
                       "Please wait {n} seconds, then load the page again.", seconds));
  response.reason = domain::to_string(refusal.limit);
  response.set_header("Retry-After", std::to_string(seconds));
  response.set_header("Cache-Control", "no-store");
  return response;
}

}  // namespace

Dispatched Dispatcher::answer(const web::Request& request) {
  if (const auto too_much = too_large(request)) return {services_.errors.make(*too_much)};
  if (is_preflight(request)) return {preflight()};
  try {
    return answer_caller(request,
                         services_.gate.admit(request.remote_address, request.authorization));
  } catch (...) {
    return {failure_response(request.id, services_.metrics)};
  }
}

Dispatched Dispatcher::answer_caller(const web::Request& request,
                                     const limits::GateDecision& decision) {
  Dispatched dispatched;
  dispatched.tier = decision.caller.tier();
  dispatched.rate = decision.rate;
  if (decision.refusal) {
    dispatched.response = services_.errors.make(*decision.refusal, request.id);
    return dispatched;
  }
  const std::optional<handlers::Match> match =
      handlers::find_route(handlers::routes(), request.segments);
  if (!match) {
    dispatched.response = services_.errors.make(domain::Error::not_found);
    if (const auto meant = endpoint_segments(request); meant && is_served(request)) {
      const web::Request there = with_segments(request, *meant);
      if (!too_large(there)) dispatched.response = moved_to(there);
    }
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
web::Response Dispatcher::answer_match(const web::Request& request, const limits::Caller& caller,
                                       const handlers::Match& match) {
  if (!is_served(request)) return method_not_allowed();
  if (!has_all(caller, match.route->scopes)) return insufficient_scope(services_, *match.route);
  const web::Query query(web::raw_query(request.target), match.route->parameters);
  web::Response response = routes_.answer({request, match.path, caller, query}, *match.route);
  name_misspelt(request, *match.route, response);
  return response;
}

// The slot comes first: a caller for whom there is none pays nothing.
web::Response Dispatcher::page_of(const web::Request& request, const handlers::Match& match) {
  const handlers::Route& route = *match.route;
  if (!is_served(request)) return method_not_allowed_of(services_, route.errors);
  const web::Query query(web::raw_query(request.target), route.parameters,
                         web::Query::Repeated::joined);
  limits::Caller caller;
  caller.address = request.remote_address;
  domain::Turn slot;  // until the page is made
  const domain::Permit may_make{[&]() -> domain::Permit::Answer {
    if (route.price == handlers::Price::nothing) return std::nullopt;
    const bool is_turn = route.price == handlers::Price::turn;
    if (is_turn || route.price == handlers::Price::page) {
      slot = domain::require(services_.compile_service.limits.make_page());
    }
    if (is_turn) return std::nullopt;
    return services_.gate.count_page(caller.address);
  }};
  web::Response response;
  try {
    response = routes_.answer({request, match.path, caller, query}, route, &may_make);
  } catch (const domain::Failure& failure) {
    return refused_page(services_, failure.refusal.value(), route.errors);
  }
  const bool is_text = route.errors == handlers::ErrorShape::text && response.status >= 400;
  if (is_text) response = handlers::documents::text_error(std::move(response));
  name_misspelt(request, route, response);
  return response;
}

web::Response Dispatcher::page_elsewhere(const web::Request& request,
                                         const std::vector<std::string>& segments,
                                         web::Response page) {
  const bool is_here = page.status == 200;
  if (!is_served(request) || !(is_here || page.status == 404)) return page;
  const std::vector<std::string> usual = is_here ? segments : usual_segments(segments);
  if (usual == request.segments) return page;
  const web::Request there = with_segments(request, usual);
  const auto match = handlers::find_route(handlers::page_routes(), usual);
  if (!match || too_large(there)) return page;
  // A page without a name in its address is there, and may be of another pool (R21).
  if (is_here || match->path.empty()) return moved_to(there);
  web::Response found = page_of(there, *match);
  if (found.status == 200) return moved_to(there);
  return found.status == 404 ? std::move(page) : std::move(found);
}

Dispatched Dispatcher::answer_page(const web::Request& request,
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
        shaped(services_, services_.errors.make(*too_much), shape, tr("The request is too large"),
               tr("The address or the headers are too long."));
    return dispatched;
  }
  try {
    if (match) dispatched.route = match->route->name;
    dispatched.runs_module = match && match->route->runs_module;
    dispatched.response = match ? page_of(request, *match) : site.not_found();
    if (site.enabled() && !dispatched.is_archive) {
      dispatched.response = page_elsewhere(request, segments, std::move(dispatched.response));
    }
  } catch (...) {
    dispatched.response = shaped(services_, failure_response(request.id, services_.metrics), shape,
                                 tr("Something went wrong"),
                                 tr("The page could not be made. Please try again in a moment."));
  }
  return dispatched;
}

const pages::Language& Dispatcher::language_of(const web::Request& request) {
  constexpr std::size_t kMemory = 32U << 10;
  const std::string_view accepted = header(request, "accept-language");
  if (accepted.empty()) return services_.site.language();
  if (const auto* const known = accepted_.find(accepted)) return **known;
  const pages::Language* found = pages::accepted_language(accepted);
  if (found == nullptr) found = &services_.site.language();
  accepted_.put(std::string(accepted), found, accepted.size() + 200, kMemory);
  return *found;
}

// By the address, by what the browser asks for, or by the configuration (decision R23).
pages::Reader Dispatcher::reader_of(const web::Request& request) {
  static constexpr auto kLanguage = std::to_array<web::Parameter>({{"lang"}});
  const std::string_view query = web::raw_query(request.target);
  if (query.find("lang=") != std::string_view::npos) {
    const web::Query parsed(query, kLanguage);  // has what `tag` refers to
    const auto tag = parsed.get("lang");
    if (const pages::Language* const chosen = tag ? pages::find_language(*tag) : nullptr) {
      return {chosen, true};
    }
  }
  return {&language_of(request), false};
}

Dispatched Dispatcher::dispatch(const web::Request& request) {
  services_.compile_service.time.begin();
  if (auto status = handlers::answer_status(services_, request)) {
    return {std::move(*status), "status"};
  }
  if (const auto segments = page_segments(request)) {
    const pages::ReaderScope scope(reader_of(request));
    Dispatched page = answer_page(request, *segments);
    // Archives are for any site, as the download is (decision R2).
    const std::string_view page_lines = page.runs_module ? kModulePageLines : kPageLines;
    finish(request, page.response, page.is_archive ? kApiLines : page_lines);
    return page;
  }
  Dispatched dispatched = answer(request);
  if (dispatched.rate) add_rate_headers(*dispatched.rate, dispatched.response);
  finish(request, dispatched.response, kApiLines);
  return dispatched;
}

void apply_forwarded(const limits::TrustedProxies& proxies, web::Request& request) {
  const std::string_view id = header(request, "x-goldsmith-front");
  if (is_id(id) && proxies.contains(request.remote_address)) request.front_id = id;
  request.remote_address =
      proxies.caller_address(request.remote_address, header(request, "x-forwarded-for"));
}

std::optional<domain::Error> too_large(const web::Request& request) {
  if (request.target.size() > kLongestTarget) return domain::Error::uri_too_long;
  std::size_t longest = 0;
  std::size_t all = 0;
  const auto add = [&](std::size_t bytes) {
    longest = std::max(longest, bytes);
    all += bytes;
  };
  for (const auto& [name, value] : request.headers) add(name.size() + value.size());
  add(request.authorization.value_or("").size());
  add(request.if_none_match.value_or("").size());
  if (longest > kLongestHeader || all > kAllHeaders) return domain::Error::headers_too_large;
  return std::nullopt;
}

}  // namespace goldsmith::worker
