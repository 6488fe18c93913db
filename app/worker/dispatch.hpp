// From request to response. The checks come in this order (decision R1): is the API enabled, who
// calls, rate limit, route and method, scopes, and then the endpoint's own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/base/lru_cache.hpp"
#include "app/limits/gate.hpp"
#include "app/limits/rate_windows.hpp"
#include "app/web/error.hpp"
#include "app/web/request.hpp"
#include "app/web/response.hpp"
#include "app/worker/responses.hpp"
#include "handlers/pages/language.hpp"
#include "handlers/services.hpp"

namespace goldsmith::worker {

// What happened to a request.
struct Dispatched {
  web::Response response;
  std::string_view route = "-";                   // name of the matched route, "-" if there is none
  std::string_view tier = "anonymous";            // or "key"
  std::optional<limits::WindowStatus> rate = {};  // see limits::GateDecision
  bool is_archive = false;                        // at /archives/, outside of the API
  bool runs_module = false;                       // Route::runs_module
};

class Dispatcher {
 public:
  explicit Dispatcher(handlers::Services& services) : services_(services), routes_(services) {}

  // Never throws: a db::Error becomes 500 query_failed, anything else 500 internal_error, with the
  // details in the log under the request's id. What was known before the failure is in the result.
  Dispatched dispatch(const web::Request& request);

 private:
  // Answers a path outside of the API.
  Dispatched answer_page(const web::Request& request, const std::vector<std::string>& segments);
  web::Response page_of(const web::Request& request, const handlers::Match& match);
  // 301 where the page has another address than the one that was sent (decision R25); otherwise
  // `page`, which is what the segments have given.
  web::Response page_elsewhere(const web::Request& request,
                               const std::vector<std::string>& segments, web::Response page);
  // Makes the checks, in their order.
  Dispatched answer(const web::Request& request);
  Dispatched answer_caller(const web::Request& request, const limits::GateDecision& decision);
  web::Response answer_match(const web::Request& request, const limits::Caller& caller,
                             const handlers::Match& match);

  const handlers::pages::Language& language_of(const web::Request& request);
  handlers::pages::Reader reader_of(const web::Request& request);

  handlers::Services& services_;
  CachedRoutes routes_;
  base::LruCache<const handlers::pages::Language*> accepted_;  // by the header
};

// What is found out about a request before it is dispatched.

// What a front says about a request that it passes on (decisions R14, O18). The address of a
// request from one of `proxies` becomes that of the caller, and the front's id for it is taken from
// X-Goldsmith-Front, if it is 32 hexadecimal digits. Nobody else is believed.
void apply_forwarded(const limits::TrustedProxies& proxies, web::Request& request);

// What is too large about a request: its target, or its headers; nothing when it is served
// (decision R13).
//
// nginx has the same limits for HTTP/1. With HTTP/2 it knows only the compressed size, and ends the
// connection without a word where that is over its buffers. So its buffers are larger than what is
// served, and the limits are kept here.
std::optional<domain::Error> too_large(const web::Request& request);

}  // namespace goldsmith::worker
