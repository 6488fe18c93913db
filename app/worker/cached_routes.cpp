#include "app/worker/cached_routes.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <set>
#include <string_view>

#include "app/http/kept_response.hpp"
#include "app/sys/text.hpp"
#include "app/worker/finalize_response.hpp"

namespace goldsmith::worker {
namespace {

using handlers::CachePolicy;

// Bytes that the index and the responses have together: a worker stays below 40 MB with 100,000
// plugins, and keeps nearly all details of a small directory.
constexpr std::size_t kMemory = 16U << 20;
constexpr std::size_t kLeastForResponses = 2U << 20;
constexpr std::int64_t kCounterSeconds = 2;
constexpr std::int64_t kCompileSeconds = 60;

std::int64_t seconds_now(const sys::Clock& clock) {
  const auto since_epoch = clock.now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
}

// Each value with its length before it: no two requests run together, whatever a client sends.
void append(std::string& key, std::string_view value) {
  key += std::to_string(value.size()) + ' ';
  key.append(value) += '\n';
}

// The tokens in their order, each once. Present without a token is not the same as absent.
std::string canonical_list(std::string_view value) {
  std::set<std::string_view> tokens;
  for (const std::string_view piece : sys::split(value, ',')) {
    const std::string_view token = sys::trim_ascii(piece);
    if (!token.empty()) tokens.insert(token);
  }
  std::string list;
  for (const std::string_view token : tokens) list.append(token) += ',';
  return list;
}

std::string canonical_value(const http::Query& query, const handlers::Parameter& parameter,
                            std::string_view value) {
  switch (parameter.kind) {
    case handlers::Parameter::Kind::list:
      return canonical_list(value);
    case handlers::Parameter::Kind::flag:
      return query.flag(parameter.name) ? "1" : "";
    case handlers::Parameter::Kind::text:
      break;
  }
  return std::string(value);
}

// What the response depends on: the route, and what it reads of the request. Whose response it is
// matters too: the metadata names the caller's tier, scopes and limits. Of a list as well, so that
// no mistake in a handler can ever show one caller what is another's.
std::string key_of(const handlers::Call& call, const handlers::Route& route) {
  std::string key = takes_gzip(call.request) ? "gzip " : "plain ";
  key += std::to_string(call.caller.key) + ' ';
  key.append(route.name) += '\n';
  for (const std::string& segment : call.path) append(key, segment);
  for (const handlers::Parameter& parameter : route.parameters) {
    const auto value = call.request.query.get(parameter.name);
    if (!value) continue;
    append(key, parameter.name);
    append(key, canonical_value(call.request.query, parameter, *value));
  }
  return key;
}

}  // namespace

ResponseCache::Validity CachedRoutes::validity_now(const handlers::Call& call, CachePolicy policy,
                                                   std::int64_t now) {
  ResponseCache::Validity validity;
  validity.epoch = dependencies_.freshness.epoch();
  validity.good_until = std::numeric_limits<std::int64_t>::max();
  switch (policy) {
    case CachePolicy::never:
    case CachePolicy::until_changed:
      break;
    case CachePolicy::until_downloaded:
      validity.verdicts = dependencies_.freshness.verdicts();
      validity.toolchains = dependencies_.toolchains.recent_generation(now);
      // One plugin is no reason to read the index. (The complement is no counter of a plugin.)
      if (!dependencies_.index.is_current(validity.epoch)) {
        validity.counters = ~dependencies_.state.downloads();
        validity.good_until = now + kCounterSeconds;
        break;
      }
      validity.counters = static_cast<std::uint64_t>(
          dependencies_.index
              .downloads(call.path.front(), validity.epoch, dependencies_.state.downloads())
              .value_or(-1));
      break;
    case CachePolicy::until_any_counted:
      validity.counters = dependencies_.index.counters(validity.epoch);
      break;
    case CachePolicy::for_two_seconds:
      validity.good_until = now + kCounterSeconds;
      break;
    case CachePolicy::until_compiled_again:
      if (!call.request.query.get("plugins")) break;  // nothing is compiled
      validity.counters = dependencies_.toolchains.generation();
      validity.good_until = now + kCompileSeconds;
      break;
  }
  return validity;
}

std::size_t CachedRoutes::room() const {
  return kMemory - std::min(dependencies_.index.bytes(), kMemory - kLeastForResponses);
}

http::Response CachedRoutes::answer(const handlers::Call& call, const handlers::Route& route,
                                    Completion complete) {
  if (route.cache_policy == CachePolicy::never) return route.handler(dependencies_.handlers, call);
  const std::int64_t now = seconds_now(dependencies_.clock);
  // Taken before the handler reads anything: a change in between makes the response too old, never
  // too young.
  ResponseCache::Validity validity = validity_now(call, route.cache_policy, now);
  const std::string key = key_of(call, route);
  http::Response kept;
  kept.kept = cache_.find(key, validity, now);
  if (kept.kept) return kept;
  http::Response response = route.handler(dependencies_.handlers, call);
  if (!is_tagged(response)) return response;
  complete(call.request, response);
  kept.kept = std::make_shared<const http::KeptResponse>(response);
  if (response.is_provisional) {
    validity.good_until = std::min(validity.good_until, now + kCounterSeconds);
  }
  cache_.keep(key, validity, kept.kept, room());
  return kept;
}

}  // namespace goldsmith::worker
