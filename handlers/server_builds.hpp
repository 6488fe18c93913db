// GET /v1/server-builder/resolve, /file and /download, and /archives/HASH.zip (decision O13).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
    std::string redirect;  // see sys::ArchivesConfig
  };
  explicit BuildHandlers(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}

  http::Response resolve(const Call& call);
  http::Response preview_file(const Call& call);
  http::Response download(const Call& call);
  // Of an archive that is not in the cache: nginx hands out the others itself.
  http::Response archive(const Call& call);

 private:
  http::Response archive_headers(const creator::Plan& plan);
  http::Response no_room(const Call& call, const std::string& cause);
  // `size`: see archive_response.
  using Respond =
      std::function<http::Response(bool is_built, const std::optional<std::uint64_t>& size)>;
  // Puts the plan's archive into the cache, unless it is there, and returns what `respond` makes of
  // that.
  http::Response ensure(const Call& call, const creator::Plan& plan,
                        const domain::Permit& may_build, const Respond& respond);
  http::Response deliver(const Call& call, const creator::Plan& plan);
  http::Response redirect(const creator::Plan& plan);
  http::Response rebuild(const Call& call, const std::string& build_hash);
  http::Response gone(std::string_view reason) const;
  http::Response archive_response(const Call& call, const creator::Plan& plan,
                                  const std::optional<std::uint64_t>& size);

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers
