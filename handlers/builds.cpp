#include "handlers/builds.hpp"

#include <cstdio>
#include <optional>
#include <variant>

#include "app/http/range.hpp"
#include "app/sys/log.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {
namespace {

using http::Error;

http::Response without_body(std::string_view content_type) {
  http::Response response;
  response.set_header("Content-Type", content_type);
  return response;
}

// The tag that nginx computes from a file's modification time and size. is_out_of_range() compares
// it with the conditions of the request.
std::string archive_etag(const creator::Plan& plan, std::uint64_t size) {
  char tag[48];
  std::snprintf(tag, sizeof tag, "\"%llx-%llx\"",
                static_cast<unsigned long long>(archive::modification_time(plan.build_hash)),
                static_cast<unsigned long long>(size));
  return tag;
}

// Returns true if the archive lacks the requested range (app/http/range.hpp says why nginx does not
// refuse it). Conditions come before the range.
bool is_out_of_range(const http::Request& request, const std::string& etag, std::uint64_t size) {
  const auto range = request.headers.find("range");
  if (range == request.headers.end()) return false;
  if (request.if_none_match && http::matches_etag(*request.if_none_match, etag)) return false;
  const auto condition = request.headers.find("if-range");
  if (condition != request.headers.end() && condition->second != etag) return false;
  return http::is_unsatisfiable_range(range->second, size);
}

// HEAD compiles and builds nothing: its answer has what nginx would add, except for the length.
http::Response with_nginx_headers(http::Response response) {
  response.set_header("Cache-Control", "public, max-age=3600");
  response.set_header("Accept-Ranges", "bytes");
  return response;
}

// The answer to a HEAD whose plugins are not compiled yet: the hash and the file name are unknown.
http::Response unbuilt_headers() { return with_nginx_headers(without_body("application/zip")); }

}  // namespace

http::Response BuildHandlers::archive_headers(const creator::Plan& plan) {
  http::Response response = without_body("application/zip");
  const std::string name = "cs16-server-" + plan.build_hash.substr(0, 12) + ".zip";
  response.set_header("Content-Disposition", http::attachment(name));
  response.set_header("X-Svc-Build-Hash", plan.build_hash);
  const std::string digest = dependencies_.digests.find(plan.build_hash);
  if (!digest.empty()) response.set_header("Repr-Digest", http::repr_digest(digest));
  return response;
}

// nginx sends the file itself, and handles ranges, conditions and lengths. It also says how long
// others may keep the file: a header set here would stay on an error, should the file be gone by
// then.
http::Response BuildHandlers::archive_response(const Call& call, const creator::Plan& plan,
                                               std::uint64_t size) {
  if (is_out_of_range(call.request, archive_etag(plan, size), size)) {
    http::Response response = dependencies_.errors.make(Error::range_not_satisfiable);
    response.set_header("Content-Range", "bytes */" + std::to_string(size));
    return response;
  }
  dependencies_.metrics.archive_bytes.add(size);
  http::Response response = archive_headers(plan);
  response.set_header("X-Accel-Redirect", "/_archives/" + plan.build_hash + ".zip");
  return response;
}

http::Response BuildHandlers::resolve(const Call& call) {
  return dependencies_.selections.with_plan(
      call, without_body(http::kJsonContentType), [&](const creator::Plan& plan) {
        const std::string digest = dependencies_.digests.find(plan.build_hash);
        http::Response response = http::json_ok(views::plan(plan, digest, dependencies_.urls));
        response.is_provisional = digest.empty();
        return response;
      });
}

http::Response BuildHandlers::preview_file(const Call& call) {
  const Errors& errors = dependencies_.errors;
  const auto path = call.query.get("path");
  if (!path) return errors.make(Error::missing_path);
  return dependencies_.selections.with_plan(
      call, without_body(http::kJsonContentType), [&](const creator::Plan& plan) {
        const creator::PlannedFile* file = creator::find_file(plan, *path);
        if (!file) return errors.make(Error::not_found);
        creator::Preview preview = dependencies_.builds.preview(plan, *file);
        return http::json_ok({{"file", views::preview(*file, std::move(preview))}});
      });
}

http::Response BuildHandlers::download(const Call& call) {
  if (!dependencies_.builds.available()) {
    return dependencies_.errors.make(Error::builder_unavailable);
  }
  return dependencies_.selections.with_plan(
      call, unbuilt_headers(), [&](const creator::Plan& plan) { return deliver(call, plan); });
}

// Archives that are in use now may be removed a moment later (decision S18).
http::Response BuildHandlers::no_room(const Call& call, const std::string& cause) {
  http::Response response = dependencies_.errors.log_and_make(
      Error::builder_unavailable, "no room for an archive", call.request.id, cause);
  response.set_header("Retry-After", "10");
  return response;
}

std::variant<archive::Acquired, http::Response> BuildHandlers::acquire(
    const Call& call, const creator::Plan& plan, const domain::Permit& may_build) {
  const archive::Acquisition outcome = dependencies_.builds.acquire(plan, may_build);
  if (const auto* refusal = std::get_if<domain::RateLimited>(&outcome)) {
    return dependencies_.errors.rate_limited(*refusal);
  }
  if (const auto* obstacle = std::get_if<archive::NoRoom>(&outcome)) {
    return no_room(call, obstacle->cause);
  }
  const auto& acquired = std::get<archive::Acquired>(outcome);
  if (acquired.is_built) {
    sys::log(sys::LogLevel::info, "archive built",
             {{"id", call.request.id}, {"build_hash", plan.build_hash}});
  }
  dependencies_.metrics.archives.add(acquired.is_built ? "build" : "cache");
  dependencies_.digests.schedule(plan);
  return acquired;
}

http::Response BuildHandlers::deliver(const Call& call, const creator::Plan& plan) {
  const bool is_redirected = !dependencies_.redirect.empty();
  if (call.request.is_head()) {
    if (is_redirected) return redirect(plan);
    const auto found = dependencies_.builds.acquire(plan);
    return found ? archive_response(call, plan, found->bytes)
                 : with_nginx_headers(archive_headers(plan));
  }
  auto outcome = acquire(call, plan, dependencies_.gate.build_permit(call.caller));
  if (auto* error = std::get_if<http::Response>(&outcome)) return std::move(*error);
  const auto& acquired = std::get<archive::Acquired>(outcome);
  if (!is_redirected) return archive_response(call, plan, acquired.bytes);
  dependencies_.digests.publish(plan, acquired.is_built);
  return redirect(plan);
}

// Each download is counted here: caches must not keep the answer.
http::Response BuildHandlers::redirect(const creator::Plan& plan) {
  http::Response response;
  response.status = 302;
  response.set_header("Location", dependencies_.redirect + "/" + plan.build_hash + ".zip");
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Svc-Build-Hash", plan.build_hash);
  return response;
}

// Caches must not keep the answer: the archive may be there in a moment.
http::Response BuildHandlers::archive(const Call& call) {
  const auto build_hash = archive::build_hash_of(call.path.front());
  http::Response response;
  if (!build_hash) {
    response = gone(
        "The address of an archive is /archives/ and its build hash, 64 digits of "
        "0123456789abcdef, and .zip.");
  } else if (!dependencies_.gate.api_is_enabled()) {
    response = dependencies_.errors.make(Error::api_disabled);
  } else if (!dependencies_.builds.available()) {
    response = dependencies_.errors.make(Error::builder_unavailable);
  } else {
    response = rebuild(call, *build_hash);
  }
  if (!response.header("X-Accel-Redirect")) {
    response.set_header("Cache-Control", "no-store");
  }
  return response;
}

// The selection may give another archive now.
http::Response BuildHandlers::rebuild(const Call& call, const std::string& build_hash) {
  constexpr std::string_view kChanged =
      "What this archive was made of has changed. Resolve the selection again: its download has "
      "the current archive.";
  const auto known = dependencies_.digests.find_known(build_hash);
  if (!known) {
    return gone(
        "No archive with this build hash is known. Resolve a selection: its download has "
        "the archive.");
  }
  const http::Query selection(known->selection, kSelectionParameters);
  const Call planned{call.request, call.path, call.caller, selection};
  http::Response response = dependencies_.selections.with_plan(
      planned, without_body("application/zip"), [&](const creator::Plan& plan) {
        if (plan.build_hash != build_hash) return gone(kChanged);
        if (call.request.is_head()) return archive_headers(plan);
        const domain::Permit may_build = known->is_paid_for
                                             ? dependencies_.gate.paid_build_permit()
                                             : dependencies_.gate.build_permit(call.caller);
        auto outcome = acquire(planned, plan, may_build);
        if (auto* error = std::get_if<http::Response>(&outcome)) return std::move(*error);
        http::Response found = without_body("application/zip");  // nginx finds it there now
        found.set_header("X-Accel-Redirect", "/archives/" + build_hash + ".zip");
        return found;
      });
  return response.status == 422 ? gone(kChanged) : response;
}

http::Response BuildHandlers::gone(std::string_view reason) const {
  return dependencies_.errors.make(Error::not_found, {{"reason", std::string(reason)}});
}

}  // namespace goldsmith::handlers
