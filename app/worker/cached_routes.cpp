#include "app/worker/cached_routes.hpp"

#include <chrono>
#include <limits>

#include "app/worker/finalize_response.hpp"

namespace goldsmith::worker {
namespace {

using handlers::CachePolicy;

constexpr std::int64_t kCounterSeconds = 2;

std::int64_t seconds_now(const sys::Clock& clock) {
  const auto since_epoch = clock.now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
}

// Whose response it is matters: the metadata names the caller's tier, scopes and limits. Of a list
// too, so that no mistake in a handler can ever show one caller what is another's.
std::string key_of(const handlers::Call& call) {
  return (takes_gzip(call.request) ? "gzip " : "plain ") + std::to_string(call.caller.key) + " " +
         call.request.target;
}

}  // namespace

ResponseCache::Validity CachedRoutes::validity_now(CachePolicy policy, std::int64_t now) {
  ResponseCache::Validity validity;
  validity.epoch = dependencies_.freshness.epoch();
  validity.counters = policy == CachePolicy::until_counted ? dependencies_.state.downloads() : 0;
  validity.good_until = policy == CachePolicy::until_changed
                            ? std::numeric_limits<std::int64_t>::max()
                            : now + kCounterSeconds;
  return validity;
}

http::Response CachedRoutes::answer(const handlers::Call& call, const handlers::Route& route) {
  if (route.cache_policy == CachePolicy::never) return route.handler(dependencies_.handlers, call);
  const std::int64_t now = seconds_now(dependencies_.clock);
  // Taken before the handler reads anything: a change in between makes the response too old, never
  // too young.
  const ResponseCache::Validity validity = validity_now(route.cache_policy, now);
  const std::string key = key_of(call);
  if (const http::Response* kept = cache_.find(key, validity, now)) return *kept;
  http::Response response = route.handler(dependencies_.handlers, call);
  if (is_tagged(response)) {
    choose_coding(call.request, response);  // once, not on each request
    add_etag(response);
    cache_.keep(key, validity, response);
  }
  return response;
}

}  // namespace goldsmith::worker
