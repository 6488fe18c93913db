// GET /v1/plugins/{slug}/download/{version}.
#pragma once

#include "app/access/gate.hpp"
#include "app/access/shared_state.hpp"
#include "app/service/plugin_downloads.hpp"
#include "handlers/call.hpp"
#include "handlers/errors.hpp"

namespace goldsmith::handlers {

class PluginDownloadHandler {
 public:
  struct Dependencies {
    service::PluginDownloads& downloads;
    access::Gate& gate;
    access::SharedState& state;
    const Errors& errors;
  };
  explicit PluginDownloadHandler(Dependencies dependencies) : dependencies_(dependencies) {}

  http::Response download(const Call& call);

 private:
  http::Response respond(const Call& call, service::DownloadOutcome outcome);

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers
