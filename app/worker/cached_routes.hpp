// Answers a route's request from memory while that is what the handler would answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "app/domain/permit.hpp"
#include "app/http/cached_response.hpp"
#include "app/sys/lru_cache.hpp"
#include "handlers/routes.hpp"

namespace goldsmith::worker {

class CachedRoutes {
 public:
  explicit CachedRoutes(handlers::Services& services) : services_(services) {}

  // Calls the route's handler unless a cached response is still valid (handlers::CachePolicy says
  // how long). What can be cached is complete (complete_response()). `may_make`, if any, is asked
  // before the handler is called, and its refusal is the result.
  std::variant<http::Response, domain::RateLimited> answer(
      const handlers::Call& call, const handlers::Route& route,
      const domain::Permit* may_make = nullptr);

 private:
  // What a response was made from: numbers that change with it, or the defaults for what it does
  // not show.
  struct Basis {
    std::uint64_t epoch = 0;                // access::Freshness::epoch()
    std::int64_t verdicts = 0;              // access::Freshness::verdicts()
    std::uint64_t toolchains = 0;           // service::ToolchainWatch::generation()
    std::uint64_t counters = 0;             // service::PluginIndex::counters()
    std::optional<std::int64_t> downloads;  // of the one plugin that it shows

    friend bool operator==(const Basis&, const Basis&) = default;
  };
  struct Entry {
    Basis basis;
    std::int64_t good_until = 0;  // seconds since the epoch
    std::shared_ptr<const http::CachedResponse> response;
  };

  // As of now, for a response of the call.
  Basis basis_now(const handlers::Call& call, const handlers::Route& route, std::int64_t now);
  std::size_t room() const;

  handlers::Services& services_;
  sys::LruCache<Entry> cache_;
};

}  // namespace goldsmith::worker
