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

ResponseCache::Validity validity_now(const handlers::Call& call, CachePolicy policy,
                                     std::int64_t now) {
  ResponseCache::Validity validity;
  validity.epoch = call.services.freshness.epoch();
  validity.counters = policy == CachePolicy::until_counted ? call.services.state.downloads() : 0;
  validity.good_until = policy == CachePolicy::until_changed
                            ? std::numeric_limits<std::int64_t>::max()
                            : now + kCounterSeconds;
  return validity;
}

}  // namespace

http::Response CachedRoutes::answer(const handlers::Call& call, const handlers::Route& route) {
  if (route.cache_policy == CachePolicy::never) return route.handler(call);
  const std::int64_t now = seconds_now(call.services.clock);
  // Taken before the handler reads anything: a change in between makes the response too old, never
  // too young.
  const ResponseCache::Validity validity = validity_now(call, route.cache_policy, now);
  const std::string key = key_of(call);
  if (const http::Response* kept = cache_.find(key, validity, now)) return *kept;
  http::Response response = route.handler(call);
  if (is_tagged(response)) {
    choose_coding(call.request, response);  // once, not on each request
    add_etag(response);
    cache_.keep(key, validity, response);
  }
  return response;
}

}  // namespace goldsmith::worker
