#include "handlers/server_builds.hpp"

#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <variant>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "app/http/range.hpp"
#include "app/sys/file.hpp"
#include "app/sys/log.hpp"
#include "handlers/errors.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {
namespace {

using http::Error;
using service::ResolvedPlan;

http::Response logged_error(const Call& call, Error code, const char* message,
                            const std::exception& cause) {
  sys::log(sys::LogLevel::error, message, {{"id", call.request.id}, {"cause", cause.what()}});
  return error(call.services, code);
}

// HEAD never compiles (decision R2): what it can't know without a compile it leaves out.
struct NeedsCompile {};

// Asks the flood brake; what it says to wait is left in `retry_after`.
std::function<bool()> compile_permit(const Call& call, std::int64_t& retry_after) {
  if (call.request.is_head()) return []() -> bool { throw NeedsCompile{}; };
  return [&] {
    const auto wait = call.services.gate.take_compiler_start();
    retry_after = wait.value_or(0);
    return !wait;
  };
}

http::Response without_body(std::string_view content_type) {
  http::Response response;
  response.set_header("Content-Type", content_type);
  return response;
}

creator::SelectionRequest read_selection(const http::Query& query) {
  return creator::parse_selection_request(query.get("components"), query.get("plugins"),
                                          query.flag("optimized"));
}

// Resolves the caller's selection and answers with `use(plan)`, or with the error that stands in
// its way; the same for all three endpoints, so that resolve's 200 means that download has bytes.
template <typename Use>
http::Response with_plan(const Call& call, Use use) {
  std::int64_t retry_after = 0;
  try {
    const service::Resolved resolved = call.services.builds.resolve(
        read_selection(call.request.query), compile_permit(call, retry_after));
    if (const auto* invalid = std::get_if<creator::InvalidSelection>(&resolved)) {
      return error(call.services, Error::invalid_selection, views::invalid_selection(*invalid));
    }
    if (std::holds_alternative<creator::EmptySelection>(resolved)) {
      return error(call.services, Error::empty_selection);
    }
    return use(std::get<ResolvedPlan>(resolved).plan);
  } catch (const NeedsCompile&) {
    return without_body("application/json; charset=utf-8");
  } catch (const service::FloodBrake&) {
    return rate_limited(call.services, Limit::flood_brake, retry_after);
  } catch (const service::CompilerUnavailable& cause) {
    return logged_error(call, Error::compiler_unavailable, "a build needs a compiler", cause);
  } catch (const archive::ZipError& cause) {
    return logged_error(call, Error::build_failed, "build failed", cause);
  } catch (const sys::FileError& cause) {
    return logged_error(call, Error::build_failed, "build failed", cause);
  }
}

http::Response archive_headers(const creator::Plan& plan) {
  http::Response response = without_body("application/zip");
  const std::string name = "cs16-server-" + plan.build_hash.substr(0, 12) + ".zip";
  response.set_header("Content-Disposition", http::attachment(name));
  response.set_header("X-Svc-Build-Hash", plan.build_hash);
  return response;
}

// nginx's own tag of a file: its modification time and size.
std::string archive_etag(const creator::Plan& plan, std::uint64_t size) {
  char tag[48];
  std::snprintf(tag, sizeof tag, "\"%llx-%llx\"",
                static_cast<unsigned long long>(archive::modification_time(plan.build_hash)),
                static_cast<unsigned long long>(size));
  return tag;
}

// A range that the archive does not have. nginx would see that as well, but its refusal would keep
// the archive's headers. Conditions come before the range.
bool is_out_of_range(const http::Request& request, const std::string& etag, std::uint64_t size) {
  const auto range = request.headers.find("range");
  if (range == request.headers.end()) return false;
  if (request.if_none_match && http::matches_etag(*request.if_none_match, etag)) return false;
  const auto condition = request.headers.find("if-range");
  if (condition != request.headers.end() && condition->second != etag) return false;
  return http::is_unsatisfiable_range(range->second, size);
}

http::Response range_not_satisfiable(const Services& services, std::uint64_t size) {
  http::Response response = error(services, Error::range_not_satisfiable);
  response.set_header("Content-Range", "bytes */" + std::to_string(size));
  return response;
}

// nginx serves the file itself; ranges, conditions and lengths are its business. So is how long
// others may keep it: what is said here would stay on an error, should the file be gone by then.
// `size`: what the cache said when it handed the archive out; nothing when it is gone.
http::Response archive_response(const Call& call, const creator::Plan& plan,
                                const std::optional<std::uint64_t>& size) {
  if (size && is_out_of_range(call.request, archive_etag(plan, *size), *size)) {
    return range_not_satisfiable(call.services, *size);
  }
  call.services.metrics.add("goldsmith_archive_bytes_total", {}, size.value_or(0));
  http::Response response = archive_headers(plan);
  response.set_header("X-Accel-Redirect", "/_archives/" + plan.build_hash + ".zip");
  return response;
}

// Of HEAD alone, which builds nothing: what nginx would say, but for the length.
http::Response unbuilt_response(const creator::Plan& plan) {
  http::Response response = archive_headers(plan);
  response.set_header("Cache-Control", "public, max-age=3600");
  response.set_header("Accept-Ranges", "bytes");
  return response;
}

}  // namespace

http::Response resolve_build(const Call& call) {
  return with_plan(call, [&](const creator::Plan& plan) {
    return http::json_ok(views::plan(plan, views::Urls(call.services.config)));
  });
}

http::Response preview_file(const Call& call) {
  const auto path = call.request.query.get("path");
  if (!path) return error(call.services, Error::missing_path);
  return with_plan(call, [&](const creator::Plan& plan) {
    const creator::PlannedFile* file = creator::find_file(plan, *path);
    if (!file) return error(call.services, Error::not_found);
    creator::Preview preview = call.services.builds.preview(plan, *file);
    return http::json_ok({{"file", views::preview(*file, std::move(preview))}});
  });
}

http::Response download_build(const Call& call) {
  if (!call.services.builds.available()) return error(call.services, Error::builder_unavailable);
  return with_plan(call, [&](const creator::Plan& plan) {
    if (call.request.is_head()) {
      const auto size = call.services.builds.hand_out(plan);
      return size ? archive_response(call, plan, size) : unbuilt_response(plan);
    }
    std::int64_t retry_after = 0;
    const auto outcome = call.services.builds.build(plan, [&] {
      const auto wait = call.services.gate.take_build(call.caller);
      retry_after = wait.value_or(0);
      return !wait;
    });
    if (outcome == archive::ArchiveCache::Outcome::refused) {
      return rate_limited(call.services, Limit::builds, retry_after);
    }
    const bool cached = outcome == archive::ArchiveCache::Outcome::cached;
    call.services.metrics.add("goldsmith_archives_total", {{"from", cached ? "cache" : "build"}});
    return archive_response(call, plan, call.services.builds.hand_out(plan));
  });
}

}  // namespace goldsmith::handlers
