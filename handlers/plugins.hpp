// GET /v1/plugins and /v1/plugins/{slug}.
#pragma once

#include "app/access/freshness.hpp"
#include "app/service/plugin_index.hpp"
#include "app/service/toolchain_watch.hpp"
#include "handlers/call.hpp"
#include "handlers/errors.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

class PluginHandlers {
 public:
  struct Dependencies {
    service::PluginIndex& index;
    access::Freshness& freshness;
    const service::ToolchainWatch& toolchains;
    const views::Urls& urls;
    const Errors& errors;
  };
  explicit PluginHandlers(Dependencies dependencies) : dependencies_(dependencies) {}

  http::Response list(const Call& call);
  http::Response show(const Call& call);

 private:
  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers
