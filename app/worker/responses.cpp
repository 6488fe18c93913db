#include "app/worker/responses.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "app/base/log.hpp"
#include "app/base/text.hpp"
#include "app/web/error.hpp"
#include "app/web/response.hpp"
#include "db/database.hpp"
#include "handlers/pages/language.hpp"

namespace goldsmith::worker {
namespace {

// True when the client takes gzip.
bool takes_gzip(const web::Request& request) {
  const auto accepted = request.headers.find("accept-encoding");
  return accepted != request.headers.end() && web::accepts_gzip(accepted->second);
}

// True for what is compressed, gets an entity tag and can be cached: a 200 of JSON or of the web
// pages with a body.
// An empty body is that of a HEAD whose answer was not made: there is nothing to tag.
bool is_tagged(const web::Response& response) {
  return response.status == 200 && !response.body.empty() && response.is_taggable;
}

using handlers::CachePolicy;

// Bytes that the index and the responses have together: the compressed details of 20,000 plugins
// fit. The index of more leaves less for responses.
constexpr std::size_t kMemory = 24U << 20;
constexpr std::size_t kLeastForResponses = 2U << 20;
// Seconds.
constexpr std::int64_t kProvisional = 2;
constexpr std::int64_t kMinute = 60;

// Parameters of lists for which verdicts count, and those that may name plugins to compile.
constexpr std::string_view kOfVerdicts[] = {"compiles_with", "runs_with", "search"};
constexpr std::string_view kOfPlugins[] = {"plugins", "from", "to"};

// Each value with its length before it: no two requests run together, whatever a client sends.
void append(std::string& key, std::string_view value) {
  key += std::to_string(value.size()) + ' ';
  key.append(value) += '\n';
}

// The tokens in their order, each once. Present without a token is not the same as absent.
std::string canonical_list(std::string_view value) {
  std::set<std::string_view> tokens;
  for (const std::string_view piece : base::split(value, ',')) {
    const std::string_view token = base::trim_ascii(piece);
    if (!token.empty()) tokens.insert(token);
  }
  std::string list;
  for (const std::string_view token : tokens) list.append(token) += ',';
  return list;
}

std::string canonical_value(const web::Query& query, const web::Parameter& parameter,
                            std::string_view value) {
  switch (parameter.kind) {
    case web::Parameter::Kind::list:
      return canonical_list(value);
    case web::Parameter::Kind::flag:
      return query.flag(parameter.name) ? "1" : "";
    case web::Parameter::Kind::text:
      break;
  }
  return std::string(value);
}

// What the response depends on: the route, and what it reads of the request. Whose response it is
// matters too: the metadata names the caller's tier, scopes and limits. Of a list as well, so that
// no mistake in a handler can ever show one caller what is another's.
std::string key_of(const handlers::Call& call, const handlers::Route& route) {
  std::string key = takes_gzip(call.request) ? "gzip " : "plain ";
  const handlers::pages::Reader& reader = handlers::pages::reader();
  key.append(reader.language->tag()).append(reader.is_chosen ? "! " : " ");
  key += std::to_string(call.caller.key) + ' ';
  key.append(route.name) += '\n';
  for (const std::string& segment : call.path) append(key, segment);
  for (const web::Parameter& parameter : route.parameters) {
    const auto value = call.query.get(parameter.name);
    if (!value) continue;
    append(key, parameter.name);
    append(key, canonical_value(call.query, parameter, *value));
  }
  return key;
}

// Whether it has one of these parameters.
bool has_any(const handlers::Call& call, const handlers::Route& route,
             std::span<const std::string_view> names) {
  return std::any_of(route.parameters.begin(), route.parameters.end(), [&](const auto& each) {
    const auto known = std::find(names.begin(), names.end(), each.name);
    return known != names.end() && call.query.get(each.name);
  });
}

// Whether it shows what is compiled for it.
bool compiles(const handlers::Call& call, const handlers::Route& route) {
  return route.cache_policy == CachePolicy::until_compiled_again &&
         has_any(call, route, kOfPlugins);
}

std::size_t weigh(const std::string& key, const web::CachedResponse& response) {
  constexpr std::size_t kOverhead = 320;  // of lists, maps and allocations
  return kOverhead + key.size() + response.whole().size();
}

web::Response sent(std::shared_ptr<const web::CachedResponse> cached) {
  web::Response response;
  response.cached = std::move(cached);
  return response;
}

constexpr std::size_t kMinCompressed = 512;  // bytes; below, the wrapper eats the gain

constexpr std::string_view kTag = "ETag";

// A handler that has chosen says so by Vary.
void choose_coding(const web::Request& request, web::Response& response) {
  if (response.header("Vary") != nullptr) return;
  response.set_header("Vary", response.varies_by_key        ? "Accept-Encoding, Authorization"
                              : response.varies_by_language ? "Accept-Encoding, Accept-Language"
                                                            : "Accept-Encoding");
  if (response.body.size() < kMinCompressed || !takes_gzip(request)) return;
  response.body = web::gzip(response.body);
  response.set_header("Content-Encoding", "gzip");
}

// The bytes that a client gets unless it has them.
std::string_view tag_of(const web::Response& response) {
  if (response.cached) return response.cached->etag();
  return is_tagged(response) ? std::string_view(*response.header(kTag)) : std::string_view();
}

web::Response logged(domain::Error error, const std::string& request_id, const std::string& cause) {
  base::log(
      base::LogLevel::error, "request failed",
      {{"id", request_id}, {"error", std::string(domain::info(error).code)}, {"cause", cause}});
  return web::error_response(error, "");
}

}  // namespace

CachedRoutes::Basis CachedRoutes::basis_now(const handlers::Call& call,
                                            const handlers::Route& route, std::int64_t now) {
  const CachePolicy policy = route.cache_policy;
  Basis basis;
  basis.epoch = services_.freshness.epoch();
  if (policy == CachePolicy::until_downloaded) {
    basis.downloads =
        services_.index.downloads(call.path.front(), basis.epoch, services_.state.downloads());
  }
  if (policy == CachePolicy::until_downloaded || policy == CachePolicy::until_any_checked ||
      has_any(call, route, kOfVerdicts)) {
    basis.verdicts = services_.freshness.verdicts();
    basis.toolchains = services_.compile_service.watch.recent_generation(now);
  }
  if (policy == CachePolicy::until_any_downloaded || policy == CachePolicy::until_any_checked) {
    basis.counters = services_.index.counters(basis.epoch);
  }
  if (policy == CachePolicy::until_toolchain_changed || compiles(call, route)) {
    basis.toolchains = services_.compile_service.watch.generation();
  }
  return basis;
}

std::size_t CachedRoutes::room() const {
  return kMemory - std::min(services_.index.bytes(), kMemory - kLeastForResponses);
}

web::Response CachedRoutes::answer(const handlers::Call& call, const handlers::Route& route,
                                   const domain::Permit* may_make) {
  const auto ask = [&] {
    if (may_make != nullptr) domain::require(may_make->ask());
  };
  if (route.cache_policy == CachePolicy::never) {
    ask();
    return route.handler(services_, call);
  }
  const std::int64_t now = base::unix_seconds(services_.clock.now());
  // Taken before the handler reads anything: a change in between makes the response too old, never
  // too young.
  const Basis basis = basis_now(call, route, now);
  const std::string key = key_of(call, route);
  const Entry* const found = cache_.find(key);
  if (found != nullptr && found->basis == basis && now < found->good_until) {
    return sent(found->response);
  }
  ask();
  web::Response response = route.handler(services_, call);
  if (!is_tagged(response)) return response;
  complete_response(call.request, response);
  Entry entry{basis, std::numeric_limits<std::int64_t>::max(),
              std::make_shared<const web::CachedResponse>(response)};
  if (compiles(call, route) || route.cache_policy == CachePolicy::for_a_minute) {
    entry.good_until = now + kMinute;
  }
  if (response.is_provisional) entry.good_until = now + kProvisional;
  cache_.put(key, entry, weigh(key, *entry.response), room());
  return sent(std::move(entry.response));
}

void complete_response(const web::Request& request, web::Response& response) {
  if (response.cached || !is_tagged(response)) return;
  choose_coding(request, response);
  if (response.header(kTag) == nullptr) {
    response.set_header(kTag, web::strong_etag(response.body));
  }
}

void answer_condition(const web::Request& request, web::Response& response) {
  if (!request.if_none_match) return;
  const std::string_view tag = tag_of(response);
  if (tag.empty() || !web::matches_etag(*request.if_none_match, tag)) return;
  response.status = 304;
  response.body.clear();
  // There is no body to decode, and some clients try.
  std::erase_if(response.headers, [](const auto& header) {
    return header.first == "Content-Encoding" || header.first == "Content-Type";
  });
}

web::Response failure_response(const std::string& request_id, host::Metrics& metrics) {
  try {
    throw;
  } catch (const db::Error& error) {
    metrics.database_errors.add();
    return logged(domain::Error::query_failed, request_id, error.what());
  } catch (const std::exception& error) {
    return logged(domain::Error::internal_error, request_id, error.what());
  } catch (...) {
    return logged(domain::Error::internal_error, request_id, "an exception of an unknown type");
  }
}

}  // namespace goldsmith::worker
