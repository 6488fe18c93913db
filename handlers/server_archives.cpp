#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/core.h>

#include "app/archive/archive_cache.hpp"
#include "app/base/log.hpp"
#include "app/web/request.hpp"
#include "handlers/builds.hpp"
#include "handlers/download_reason.hpp"
#include "handlers/endpoints.hpp"
#include "handlers/known_builds.hpp"

namespace goldsmith::handlers {
namespace {

using domain::Error;

// As nginx computes them from a file's modification time and size.
web::Validators validators(const creator::Plan& plan, std::uint64_t size) {
  const std::int64_t modified = archive::modification_time(plan.build_hash);
  return {fmt::format("\"{:x}-{:x}\"", modified, size), modified};
}

// Returns true if the archive lacks the requested range (app/web/request.hpp says why nginx does
// not refuse it).
bool is_out_of_range(const web::Request& request, const creator::Plan& plan, std::uint64_t size) {
  return web::looks_at_range(request, validators(plan, size)) &&
         web::is_unsatisfiable_range(request.headers.at("range"), size);
}

// HEAD compiles and builds nothing: its answer has what nginx would add, except for the length.
web::Response with_nginx_headers(web::Response response) {
  response.set_header("Cache-Control", "public, max-age=3600");
  response.set_header("Accept-Ranges", "bytes");
  return response;
}

// The answer to a HEAD whose plugins are not compiled yet: the hash and the file name are unknown.
web::Response unbuilt_headers() { return with_nginx_headers(without_body("application/zip")); }

// The build that the files of an archive are of.
const std::string& build_of(const creator::Plan& plan) {
  return plan.completes.empty() ? plan.build_hash : plan.completes;
}

web::Response archive_headers(Services& services, const creator::Plan& plan) {
  web::Response response = without_body("application/zip");
  const std::string_view kind = plan.completes.empty() ? "server" : "update";
  response.set_header(
      "Content-Disposition",
      web::attachment(fmt::format("cs16-{}-{}.zip", kind, plan.build_hash.substr(0, 12))));
  response.set_header("X-Svc-Build-Hash", build_of(plan));
  const std::string digest = services.digests.find(plan.build_hash);
  if (!digest.empty()) response.set_header("Repr-Digest", web::repr_digest(digest));
  return response;
}

// nginx sends the file itself, and handles ranges, conditions and lengths. It also says how long
// others may keep the file: a header set here would stay on an error, should the file be gone by
// then.
web::Response archive_response(Services& services, const Call& call, const creator::Plan& plan,
                               std::uint64_t size) {
  if (is_out_of_range(call.request, plan, size)) {
    web::Response response = services.errors.make(Error::range_not_satisfiable);
    response.set_header("Content-Range", "bytes */" + std::to_string(size));
    return response;
  }
  services.metrics.archive_bytes.add(size);
  web::Response response = archive_headers(services, plan);
  response.set_header("X-Accel-Redirect", "/_archives/" + plan.build_hash + ".zip");
  return response;
}

// Puts the plan's archive into the cache, unless it is there; counts and logs that.
archive::Acquired acquire(Services& services, const Call& call, const creator::Plan& plan,
                          const domain::Permit& may_build) {
  const archive::Acquired acquired = services.builds.acquire(plan, may_build);
  if (acquired.is_built) {
    base::log(base::LogLevel::info, "archive built",
              {{"id", call.request.id}, {"build_hash", plan.build_hash}});
  }
  services.metrics.archives.add(acquired.is_built ? "build" : "cache");
  services.digests.schedule(plan);
  return acquired;
}

// Each download is counted here: caches must not keep the answer.
web::Response redirect(const Services& services, const creator::Plan& plan) {
  web::Response response;
  response.status = 302;
  response.set_header("Location",
                      services.config.archives.redirect + "/" + plan.build_hash + ".zip");
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Svc-Build-Hash", build_of(plan));
  return response;
}

// The answer to a download of a plan: the archive, or where it is if downloads are redirected.
web::Response deliver(Services& services, const Call& call, const creator::Plan& plan) {
  const bool is_redirected =
      !services.config.archives.redirect.empty() && !call.query.flag("direct");
  if (call.request.is_head()) {
    if (is_redirected) return redirect(services, plan);
    const auto found = services.builds.acquire(plan);
    return found ? archive_response(services, call, plan, found->bytes)
                 : with_nginx_headers(archive_headers(services, plan));
  }
  const archive::Acquired acquired =
      acquire(services, call, plan, services.gate.build_permit(call.caller));
  if (is_redirected) services.digests.publish(plan, acquired.is_built);
  services.digests.note_build(plan);
  if (plan.completes.empty()) fastdl_address(services, plan);
  web::Response response = is_redirected ? redirect(services, plan)
                                         : archive_response(services, call, plan, acquired.bytes);
  const std::optional<std::string>& known = call.request.if_none_match;
  const bool is_known = known && web::matches_etag(*known, validators(plan, acquired.bytes).etag);
  if (response.status < 400 && !is_known && !continues_download(call.request)) {
    services.metrics.downloads.add("server", download_reason(call, true));
  }
  return response;
}

// The plan of the archive that a download asks for: of a build, or of what of it the caller lacks.
Planned archive_plan(Services& services, const Call& call) {
  struct Part {
    PlanPtr whole;
    creator::Plan plan;
  };
  Planned planned = plan_of(services, call);
  const auto from = call.query.get("from");
  const auto* whole = std::get_if<PlanPtr>(&planned);
  if (whole == nullptr || !from) return planned;
  Planned had = plan_of_build(services, call, "from", *from, "Download without \"from\".");
  const auto* base = std::get_if<PlanPtr>(&had);
  if (base == nullptr) return had;
  const auto part =
      std::make_shared<const Part>(Part{*whole, creator::partial_plan(**base, **whole)});
  return PlanPtr(part, &part->plan);
}

// The archive by its hash, built again from the selection that was recorded with it, which may give
// another archive now.
web::Response rebuild(Services& services, const Call& call, const std::string& hash) {
  const auto known = services.digests.find_known(hash);
  const Planned planned = known_plan(services, call, hash, known, archive_plan);
  const auto use = [&](const creator::Plan& plan) {
    if (call.request.is_head()) return archive_headers(services, plan);
    acquire(services, call, plan,
            known->is_paid_for ? services.gate.paid_build_permit(call.caller)
                               : services.gate.build_permit(call.caller));
    web::Response found = without_body("application/zip");  // nginx finds it there now
    found.set_header("X-Accel-Redirect", "/archives/" + hash + ".zip");
    return found;
  };
  return answer(services, call, planned, without_body("application/zip"), use);
}

}  // namespace

web::Response download_server(Services& services, const Call& call) {
  if (!services.builds.available()) {
    return services.errors.make(Error::builder_unavailable);
  }
  return answer(services, call, archive_plan(services, call), unbuilt_headers(),
                [&](const creator::Plan& plan) { return deliver(services, call, plan); });
}

// Caches must not keep the answer: the archive may be there in a moment.
web::Response show_archive(Services& services, const Call& call) {
  const auto build_hash = archive::build_hash_of(call.path.front());
  web::Response response;
  if (!build_hash) {
    response = services.errors.make(gone("The address of an archive is /archives/ and its build "
                                         "hash, 64 digits of 0123456789abcdef, and .zip."),
                                    call.request.id);
  } else if (!services.gate.api_is_enabled()) {
    response = services.errors.make(Error::api_disabled);
  } else if (!services.builds.available()) {
    response = services.errors.make(Error::builder_unavailable);
  } else {
    response = rebuild(services, call, *build_hash);
  }
  if (!response.header("X-Accel-Redirect")) {
    response.set_header("Cache-Control", "no-store");
  }
  return response;
}

}  // namespace goldsmith::handlers
