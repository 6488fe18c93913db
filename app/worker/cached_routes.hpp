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

// What is done to a response before it is kept: complete_response() or complete_page().
using Completion = void (*)(const http::Request&, http::Response&);

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
  // long). What can be kept is complete and in its kept form.
  http::Response answer(const handlers::Call& call, const handlers::Route& route,
                        Completion complete);

 private:
  ResponseCache::Validity validity_now(const handlers::Call& call, handlers::CachePolicy policy,
                                       std::int64_t now);
  std::size_t room() const;

  Dependencies dependencies_;
  ResponseCache cache_;
};

}  // namespace goldsmith::worker
