// GET /v1/server-builder/resolve, /file and /download.
#pragma once

#include "app/access/freshness.hpp"
#include "app/access/gate.hpp"
#include "app/service/server_builds.hpp"
#include "app/sys/metrics.hpp"
#include "handlers/call.hpp"
#include "handlers/errors.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

class BuildHandlers {
 public:
  struct Dependencies {
    service::ServerBuilds& builds;
    access::Gate& gate;
    access::Freshness& freshness;
    sys::Metrics& metrics;
    const views::Urls& urls;
    const Errors& errors;
  };
  explicit BuildHandlers(Dependencies dependencies) : dependencies_(dependencies) {}

  http::Response resolve(const Call& call);
  http::Response preview_file(const Call& call);
  http::Response download(const Call& call);

 private:
  // Answers with `use(plan)`, or with the error that stands in its way. `head`: the answer to a
  // HEAD that would have to compile, without all that only a compile would tell.
  template <typename Use>
  http::Response with_plan(const Call& call, const http::Response& head, Use use);
  http::Response too_large(const creator::Excess& excess) const;
  http::Response error_of(const Call& call, const http::Response& head,
                          const service::CompileObstacle& obstacle);
  http::Response no_room(const Call& call, const std::string& cause);
  http::Response deliver(const Call& call, const creator::Plan& plan);
  http::Response archive_response(const Call& call, const creator::Plan& plan,
                                  const std::optional<std::uint64_t>& size);

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers
