// GET /v1/server-builder/resolve, /file and /download.
#pragma once

#include "app/access/gate.hpp"
#include "app/service/archive_digests.hpp"
#include "app/service/server_builds.hpp"
#include "app/sys/metrics.hpp"
#include "handlers/call.hpp"
#include "handlers/errors.hpp"
#include "handlers/selections.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

class BuildHandlers {
 public:
  struct Dependencies {
    service::ServerBuilds& builds;
    Selections& selections;
    service::ArchiveDigests& digests;
    access::Gate& gate;
    sys::Metrics& metrics;
    const views::Urls& urls;
    const Errors& errors;
  };
  explicit BuildHandlers(Dependencies dependencies) : dependencies_(dependencies) {}

  http::Response resolve(const Call& call);
  http::Response preview_file(const Call& call);
  http::Response download(const Call& call);

 private:
  http::Response archive_headers(const creator::Plan& plan);
  http::Response no_room(const Call& call, const std::string& cause);
  http::Response deliver(const Call& call, const creator::Plan& plan);
  http::Response archive_response(const Call& call, const creator::Plan& plan,
                                  const std::optional<std::uint64_t>& size);

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers
