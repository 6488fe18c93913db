#include "handlers/plugin_download.hpp"

#include "app/domain/names.hpp"
#include "app/sys/log.hpp"
#include "handlers/errors.hpp"

namespace goldsmith::handlers {
namespace {

using service::DownloadResult;
using State = DownloadResult::State;

std::string_view content_type(service::Kind kind) {
  switch (kind) {
    case service::Kind::sma:
      return "text/plain; charset=UTF-8";
    case service::Kind::zip:
      return "application/zip";
    case service::Kind::amxx:
      break;
  }
  return "application/octet-stream";
}

http::Response file_response(DownloadResult result) {
  http::Response response;
  response.set_header("Content-Type", content_type(result.kind));
  response.set_header("Content-Disposition", http::attachment(result.filename));
  // Compiled anew on each request: nothing in between may keep it.
  response.set_header("Cache-Control", "no-store");
  response.body = std::move(result.bytes);
  return response;
}

void log_failure(const Call& call, const DownloadResult& result) {
  sys::log(sys::LogLevel::error, "plugin download failed",
           {{"id", call.request.id}, {"cause", result.cause}});
}

http::Response compile_failed(const Services& services, const DownloadResult& result) {
  json::Object context{{"toolchain", result.toolchain}, {"output", result.output}};
  if (!result.hint.empty()) context.emplace("hint", result.hint);
  return error(services, http::Error::compile_failed, std::move(context));
}

http::Response failure(const Call& call, const DownloadResult& result) {
  const Services& services = call.services;
  switch (result.state) {
    case State::invalid_kind:
      return error(services, http::Error::invalid_kind,
                   {{"allowed", json::Array{"amxx", "sma", "zip"}}});
    case State::no_source_file:
      return error(services, http::Error::no_source_file);
    case State::no_compilable_source:
      return error(services, http::Error::no_compilable_source);
    case State::compile_failed:
      return compile_failed(services, result);
    case State::compiler_unavailable:
      log_failure(call, result);
      return error(services, http::Error::compiler_unavailable);
    case State::zip_failed:
      log_failure(call, result);
      return error(services, http::Error::zip_failed);
    case State::ok:
    case State::over_budget:
    case State::not_found:
      break;
  }
  return error(services, http::Error::not_found);
}

}  // namespace

http::Response download_plugin(const Call& call) {
  service::DownloadRequest request;
  request.slug = call.path[0];
  request.version = call.path[1];
  request.kind = call.request.query.get("kind").value_or("amxx");
  request.toolchain = call.request.query.get("amxx").value_or("");
  request.caller = call.caller.address;
  request.dry = call.request.is_head();
  if (!domain::is_slug(request.slug) || !domain::is_version(request.version)) {
    return failure(call, DownloadResult{});
  }
  std::int64_t retry_after = 0;
  DownloadResult result = call.services.downloads.download(request, [&] {
    const auto wait = call.services.gate.take_compile(call.caller);
    retry_after = wait.value_or(0);
    return !wait;
  });
  if (result.state == State::over_budget) {
    return rate_limited(call.services, Limit::compiles, retry_after);
  }
  if (result.state != State::ok) return failure(call, result);
  if (!request.dry) call.services.state.bump_downloads();
  return file_response(std::move(result));
}

}  // namespace goldsmith::handlers
