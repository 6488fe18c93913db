#include "app/archive/depot_upkeep.hpp"
#include "app/base/digest.hpp"
#include "app/base/encoding.hpp"
#include "app/base/overloaded.hpp"
#include "app/domain/names.hpp"
#include "handlers/endpoints.hpp"

namespace goldsmith::handlers {
namespace {

using web::Error;

constexpr std::string_view kFailureMessage = "plugin download failed";

// What was recorded at the import, or would be now. Where nothing is known, what clients expect of
// a source.
std::string charset_of(const directory::DownloadFile& source) {
  std::string charset = source.charset;
  if (charset.empty() && base::is_text(source.bytes) && !domain::is_utf8(source.bytes)) {
    charset = base::detect_code_page(source.bytes);
  }
  return charset.empty() ? "UTF-8" : charset;
}

std::string content_type(const directory::DownloadFile& file) {
  switch (file.kind) {
    case directory::Kind::sma:
      return "text/plain; charset=" + charset_of(file);
    case directory::Kind::zip:
      return "application/zip";
    case directory::Kind::amxx:
      break;
  }
  return "application/octet-stream";
}

web::Response file_response(directory::DownloadFile file) {
  web::Response response;
  response.set_header("Content-Type", content_type(file));
  response.set_header("Content-Disposition", web::attachment(file.filename));
  // What `amxx` names is ignored if there is no such toolchain.
  if (!file.toolchain.empty()) response.set_header("X-Svc-Toolchain", file.toolchain);
  // The file is compiled on each request: no cache in between may store it.
  response.set_header("Cache-Control", "no-store");
  // A HEAD compiles nothing, so that there are no bytes to digest.
  if (!file.bytes.empty() || file.kind == directory::Kind::sma) {
    response.set_header("Repr-Digest", web::repr_digest(base::sha256_hex(file.bytes)));
  }
  response.body = std::move(file.bytes);
  if (file.archive) {
    const std::string digest = base::sha256_of_file(file.archive, file.filename);
    response.set_header("Repr-Digest", web::repr_digest(digest));
    response.file =
        std::make_shared<web::FileBody>(web::FileBody{std::move(file.archive), file.archive_bytes});
  }
  return response;
}

// The key covers the caller and the target, too, so that an id alone hides no other download.
std::string repeat_key(const Call& call) {
  constexpr std::size_t kLength = 32;
  const web::Request& request = call.request;
  if (request.front_id.empty()) return "";
  return base::sha256_hex(request.front_id + ' ' + call.caller.address + ' ' + request.target)
      .substr(0, kLength);
}

json::Object compile_context(const directory::CompileFailed& failure) {
  json::Object context{{"toolchain", failure.toolchain}, {"output", failure.output}};
  if (!failure.hint.empty()) context.emplace("hint", failure.hint);
  return context;
}

web::Response respond(const Services& services, const std::string& id,
                      directory::DownloadOutcome outcome) {
  const Errors& errors = services.errors;
  return std::visit(
      base::overloaded{
          [](directory::DownloadFile&& file) { return file_response(std::move(file)); },
          [&](directory::NotFound&&) { return errors.make(Error::not_found); },
          [&](directory::InvalidKind&&) {
            return errors.make(Error::invalid_kind,
                               {{"allowed", json::Array{"amxx", "sma", "zip"}}});
          },
          [&](directory::NoSourceFile&&) { return errors.make(Error::no_source_file); },
          [&](directory::NoCompilableSource&&) { return errors.make(Error::no_compilable_source); },
          [&](domain::RateLimited&& refusal) { return errors.rate_limited(refusal); },
          [&](directory::CompileFailed&& failure) {
            return errors.make(Error::compile_failed, compile_context(failure));
          },
          [&](compile::CompilerUnavailable&& failure) {
            if (failure.lacks_component) archive::request_fill(services.fill_request);
            return errors.log_and_make(Error::compiler_unavailable, kFailureMessage, id,
                                       failure.cause);
          },
          [&](directory::ZipFailed&& failure) {
            return errors.log_and_make(Error::zip_failed, kFailureMessage, id, failure.cause);
          }},
      std::move(outcome));
}

}  // namespace

web::Response download_plugin(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path[0]);
  const auto version = domain::Version::parse(call.path[1]);
  if (!slug || !version) return services.errors.make(Error::not_found);
  directory::DownloadRequest request;
  request.slug = *slug;
  request.version = *version;
  request.kind = call.query.get("kind").value_or("amxx");
  request.toolchain = call.query.get("amxx");
  request.caller = call.caller.address;
  request.repeat_key = repeat_key(call);
  request.dry = call.request.is_head();
  directory::DownloadOutcome outcome = services.downloads.download(
      request, services.gate.compile_permit(call.caller), services.freshness.epoch());
  const bool is_counted = !request.dry && std::holds_alternative<directory::DownloadFile>(outcome);
  if (is_counted) services.state.bump_downloads();
  return respond(services, call.request.id, std::move(outcome));
}

}  // namespace goldsmith::handlers
