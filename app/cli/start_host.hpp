// This host as starts of servers see it.
#pragma once

#include <string_view>

#include "app/cli/context.hpp"
#include "app/start/host.hpp"

namespace goldsmith::cli {

// `context` must outlive the result. Throws as Context::database() does.
inline start::Host start_host(Context& context) {
  return {context.config(), context.clock(), context.database(),
          [&context](std::string_view what) { context.progress(what); },
          [&context](std::string_view problem) { context.report(problem); }};
}

}  // namespace goldsmith::cli
