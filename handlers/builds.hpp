// GET /v1/server-builder/resolve, /file and /download, and /archives/HASH.zip (decision O13).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "app/access/gate.hpp"
#include "app/archive/archive_cache.hpp"
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
  // Answers for an archive that is not in the cache: nginx sends the others itself.
  http::Response archive(const Call& call);

 private:
  // The answer to a download of a plan: the archive, or where it is if downloads are redirected.
  http::Response deliver(const Call& call, const creator::Plan& plan);
  // The archive by its hash, built again from the selection that was recorded with it.
  http::Response rebuild(const Call& call, const std::string& build_hash);
  // Puts the plan's archive into the cache, unless it is there; counts and logs that. The response
  // says why it can't be there.
  std::variant<archive::Acquired, http::Response> acquire(const Call& call,
                                                          const creator::Plan& plan,
                                                          const domain::Permit& may_build);

  http::Response archive_headers(const creator::Plan& plan);
  http::Response archive_response(const Call& call, const creator::Plan& plan, std::uint64_t size);
  http::Response redirect(const creator::Plan& plan);
  http::Response no_room(const Call& call, const std::string& cause);
  http::Response gone(std::string_view reason) const;

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers
