// Answers a route's request from memory while that is what the handler would answer.
#pragma once

#include <string>

#include "app/access/freshness.hpp"
#include "app/access/shared_state.hpp"
#include "app/service/plugin_index.hpp"
#include "app/service/toolchain_watch.hpp"
#include "app/sys/clock.hpp"
#include "app/worker/response_cache.hpp"
#include "handlers/routes.hpp"

namespace goldsmith::worker {

class CachedRoutes {
 public:
  struct Dependencies {
    handlers::Handlers& handlers;
    access::Freshness& freshness;
    const access::SharedState& state;
    service::ToolchainWatch& toolchains;
    service::PluginIndex& index;
    const sys::Clock& clock;
  };
  explicit CachedRoutes(Dependencies dependencies) : dependencies_(dependencies) {}

  // Calls the route's handler unless a kept response is still valid (handlers::CachePolicy says how
  // long).
  http::Response answer(const handlers::Call& call, const handlers::Route& route);

 private:
  ResponseCache::Validity validity_now(const handlers::Call& call, handlers::CachePolicy policy,
                                       std::int64_t now);
  std::size_t room() const;

  Dependencies dependencies_;
  ResponseCache cache_;
};

}  // namespace goldsmith::worker
