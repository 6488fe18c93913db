// From what a handler returns to what a client gets: answers from memory, headers, compression,
// tags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/base/lru_cache.hpp"
#include "app/domain/permit.hpp"
#include "app/host/metrics.hpp"
#include "app/web/request.hpp"
#include "app/web/response.hpp"
#include "handlers/routes.hpp"

namespace goldsmith::worker {

// Answers a route's request from memory while that is what the handler would answer.
class CachedRoutes {
 public:
  explicit CachedRoutes(handlers::Services& services) : services_(services) {}

  // Calls the route's handler unless a cached response is still valid (handlers::CachePolicy says
  // how long). What can be cached is complete (complete_response()). `may_make`, if any, is asked
  // before the handler is called; throws domain::Failure if it refuses.
  web::Response answer(const handlers::Call& call, const handlers::Route& route,
                       const domain::Permit* may_make = nullptr);

 private:
  // What a response was made from: numbers that change with it, or the defaults for what it does
  // not show.
  struct Basis {
    std::uint64_t epoch = 0;                // limits::Freshness::epoch()
    std::int64_t verdicts = 0;              // limits::Freshness::verdicts()
    std::uint64_t toolchains = 0;           // compile::ToolchainWatch::generation()
    std::uint64_t counters = 0;             // directory::PluginIndex::counters()
    std::optional<std::int64_t> downloads;  // of the one plugin that it shows

    friend bool operator==(const Basis&, const Basis&) = default;
  };
  struct Entry {
    Basis basis;
    std::int64_t good_until = 0;  // seconds since the epoch
    std::shared_ptr<const web::CachedResponse> response;
  };

  // As of now, for a response of the call.
  Basis basis_now(const handlers::Call& call, const handlers::Route& route, std::int64_t now);
  std::size_t room() const;

  handlers::Services& services_;
  base::LruCache<Entry> cache_;
};

// What every response gets, whatever made it.

// Response::fixed_lines of the API and of archives, which any site may read (decision R2).
inline constexpr std::string_view kApiLines =
    "Access-Control-Allow-Origin: *\r\n"
    "Access-Control-Expose-Headers: Content-Disposition, ETag, Repr-Digest, Retry-After, "
    "X-Svc-Build-Hash, X-Svc-Ignored-Parameters, X-Svc-Texts, X-Svc-Toolchain, "
    "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset\r\n"
    "X-Content-Type-Options: nosniff\r\n";

// The header lines of web pages (decision R18). No inline script or style, no other host, and no
// script makes markup of a text.
inline constexpr std::string_view kPageLines =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n";
// Those of a page that runs a module of WebAssembly, which it has from this host.
inline constexpr std::string_view kModulePageLines =
    "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
    "style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n";

// Compresses the body of what is tagged where that helps and the client takes it, and adds the
// strong tag (decision R11) unless the response has one. It depends on the request by its coding
// alone, so the result can be cached. Downloads keep the validators that they set themselves. To be
// called once; does nothing with a cached response.
void complete_response(const web::Request& request, web::Response& response);

// Makes a 304 of a tagged response if the client has its bytes (decision R11).
void answer_condition(const web::Request& request, web::Response& response);

// The last resort. For use in a catch block: turns the exception that is being handled into a
// response with a fixed body, `query_failed` for db::Error and `internal_error` for all else, logs
// its text under the request's id, and counts it.
web::Response failure_response(const std::string& request_id, host::Metrics& metrics);

}  // namespace goldsmith::worker
