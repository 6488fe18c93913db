#include <cstdio>
#include <optional>
#include <variant>

#include "app/http/range.hpp"
#include "app/sys/log.hpp"
#include "handlers/endpoints.hpp"
#include "handlers/selections.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {
namespace {

using http::Error;

http::Response without_body(std::string_view content_type) {
  http::Response response;
  response.set_header("Content-Type", content_type);
  return response;
}

// As nginx computes them from a file's modification time and size.
http::Validators validators(const creator::Plan& plan, std::uint64_t size) {
  const std::int64_t modified = archive::modification_time(plan.build_hash);
  char tag[48];
  std::snprintf(tag, sizeof tag, "\"%llx-%llx\"", static_cast<unsigned long long>(modified),
                static_cast<unsigned long long>(size));
  return {tag, modified};
}

// Returns true if the archive lacks the requested range (app/http/range.hpp says why nginx does not
// refuse it).
bool is_out_of_range(const http::Request& request, const creator::Plan& plan, std::uint64_t size) {
  return http::looks_at_range(request, validators(plan, size)) &&
         http::is_unsatisfiable_range(request.headers.at("range"), size);
}

// HEAD compiles and builds nothing: its answer has what nginx would add, except for the length.
http::Response with_nginx_headers(http::Response response) {
  response.set_header("Cache-Control", "public, max-age=3600");
  response.set_header("Accept-Ranges", "bytes");
  return response;
}

// The answer to a HEAD whose plugins are not compiled yet: the hash and the file name are unknown.
http::Response unbuilt_headers() { return with_nginx_headers(without_body("application/zip")); }

http::Response archive_headers(Services& services, const creator::Plan& plan) {
  http::Response response = without_body("application/zip");
  const std::string name = "cs16-server-" + plan.build_hash.substr(0, 12) + ".zip";
  response.set_header("Content-Disposition", http::attachment(name));
  response.set_header("X-Svc-Build-Hash", plan.build_hash);
  const std::string digest = services.digests.find(plan.build_hash);
  if (!digest.empty()) response.set_header("Repr-Digest", http::repr_digest(digest));
  return response;
}

// nginx sends the file itself, and handles ranges, conditions and lengths. It also says how long
// others may keep the file: a header set here would stay on an error, should the file be gone by
// then.
http::Response archive_response(Services& services, const Call& call, const creator::Plan& plan,
                                std::uint64_t size) {
  if (is_out_of_range(call.request, plan, size)) {
    http::Response response = services.errors.make(Error::range_not_satisfiable);
    response.set_header("Content-Range", "bytes */" + std::to_string(size));
    return response;
  }
  services.metrics.archive_bytes.add(size);
  http::Response response = archive_headers(services, plan);
  response.set_header("X-Accel-Redirect", "/_archives/" + plan.build_hash + ".zip");
  return response;
}

// Archives that are in use now may be removed a moment later (decision S18).
http::Response no_room(const Services& services, const Call& call, const std::string& cause) {
  http::Response response = services.errors.log_and_make(
      Error::builder_unavailable, "no room for an archive", call.request.id, cause);
  response.set_header("Retry-After", "10");
  return response;
}

// Puts the plan's archive into the cache, unless it is there; counts and logs that. The response
// says why it can't be there.
std::variant<archive::Acquired, http::Response> acquire(Services& services, const Call& call,
                                                        const creator::Plan& plan,
                                                        const domain::Permit& may_build) {
  const archive::Acquisition outcome = services.builds.acquire(plan, may_build);
  if (const auto* refusal = std::get_if<domain::RateLimited>(&outcome)) {
    return services.errors.rate_limited(*refusal);
  }
  if (const auto* obstacle = std::get_if<archive::NoRoom>(&outcome)) {
    return no_room(services, call, obstacle->cause);
  }
  const auto& acquired = std::get<archive::Acquired>(outcome);
  if (acquired.is_built) {
    sys::log(sys::LogLevel::info, "archive built",
             {{"id", call.request.id}, {"build_hash", plan.build_hash}});
  }
  services.metrics.archives.add(acquired.is_built ? "build" : "cache");
  services.digests.schedule(plan);
  return acquired;
}

// Each download is counted here: caches must not keep the answer.
http::Response redirect(const Services& services, const creator::Plan& plan) {
  http::Response response;
  response.status = 302;
  response.set_header("Location",
                      services.config.archives.redirect + "/" + plan.build_hash + ".zip");
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Svc-Build-Hash", plan.build_hash);
  return response;
}

// The answer to a download of a plan: the archive, or where it is if downloads are redirected.
http::Response deliver(Services& services, const Call& call, const creator::Plan& plan) {
  const bool is_redirected = !services.config.archives.redirect.empty();
  if (call.request.is_head()) {
    if (is_redirected) return redirect(services, plan);
    const auto found = services.builds.acquire(plan);
    return found ? archive_response(services, call, plan, found->bytes)
                 : with_nginx_headers(archive_headers(services, plan));
  }
  auto outcome = acquire(services, call, plan, services.gate.build_permit(call.caller));
  if (auto* error = std::get_if<http::Response>(&outcome)) return std::move(*error);
  const auto& acquired = std::get<archive::Acquired>(outcome);
  if (!is_redirected) return archive_response(services, call, plan, acquired.bytes);
  services.digests.publish(plan, acquired.is_built);
  return redirect(services, plan);
}

http::Response gone(const Services& services, std::string_view reason) {
  return services.errors.make(Error::not_found, {{"reason", std::string(reason)}});
}

// The archive by its hash, built again from the selection that was recorded with it, which may give
// another archive now.
http::Response rebuild(Services& services, const Call& call, const std::string& build_hash) {
  constexpr std::string_view kChanged =
      "What this archive was made of has changed. Resolve the selection again: its download has "
      "the current archive.";
  const auto known = services.digests.find_known(build_hash);
  if (!known) {
    return gone(services,
                "No archive with this build hash is known. Resolve a selection: its download has "
                "the archive.");
  }
  const http::Query selection(known->selection, kSelectionParameters);
  const Call planned{call.request, call.path, call.caller, selection};
  http::Response response =
      with_plan(services, planned, without_body("application/zip"), [&](const creator::Plan& plan) {
        if (plan.build_hash != build_hash) return gone(services, kChanged);
        if (call.request.is_head()) return archive_headers(services, plan);
        const domain::Permit may_build = known->is_paid_for
                                             ? services.gate.paid_build_permit(call.caller)
                                             : services.gate.build_permit(call.caller);
        auto outcome = acquire(services, planned, plan, may_build);
        if (auto* error = std::get_if<http::Response>(&outcome)) return std::move(*error);
        http::Response found = without_body("application/zip");  // nginx finds it there now
        found.set_header("X-Accel-Redirect", "/archives/" + build_hash + ".zip");
        return found;
      });
  return response.status == 422 ? gone(services, kChanged) : response;
}

}  // namespace

http::Response resolve_server(Services& services, const Call& call) {
  return with_plan(
      services, call, without_body(http::kJsonContentType), [&](const creator::Plan& plan) {
        const std::string digest = services.digests.find(plan.build_hash);
        http::Response response = http::json_ok(views::plan(plan, digest, services.urls));
        response.is_provisional = digest.empty();
        return response;
      });
}

http::Response preview_file(Services& services, const Call& call) {
  const Errors& errors = services.errors;
  const auto path = call.query.get("path");
  if (!path) return errors.make(Error::missing_path);
  return with_plan(services, call, without_body(http::kJsonContentType),
                   [&](const creator::Plan& plan) {
                     const creator::PlannedFile* file = creator::find_file(plan, *path);
                     if (!file) return errors.make(Error::not_found);
                     creator::Preview preview = services.builds.preview(plan, *file);
                     return http::json_ok({{"file", views::preview(*file, std::move(preview))}});
                   });
}

http::Response download_server(Services& services, const Call& call) {
  if (!services.builds.available()) {
    return services.errors.make(Error::builder_unavailable);
  }
  return with_plan(services, call, unbuilt_headers(),
                   [&](const creator::Plan& plan) { return deliver(services, call, plan); });
}

// Caches must not keep the answer: the archive may be there in a moment.
http::Response show_archive(Services& services, const Call& call) {
  const auto build_hash = archive::build_hash_of(call.path.front());
  http::Response response;
  if (!build_hash) {
    response = gone(services,
                    "The address of an archive is /archives/ and its build hash, 64 digits of "
                    "0123456789abcdef, and .zip.");
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
