#include "app/base/digest.hpp"
#include "app/base/encoding.hpp"
#include "app/domain/names.hpp"
#include "handlers/download_reason.hpp"
#include "handlers/endpoints.hpp"

namespace goldsmith::handlers {
namespace {

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
  if (!file.texts.empty()) response.set_header("X-Svc-Texts", file.texts);
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

}  // namespace

web::Response download_plugin(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path[0]);
  const auto version = domain::Version::parse(call.path[1]);
  if (!slug || !version) return services.errors.make(domain::Error::not_found);
  directory::DownloadRequest request;
  request.slug = *slug;
  request.version = *version;
  request.kind = call.query.get("kind").value_or("amxx");
  request.toolchain = call.query.get("amxx");
  request.texts = call.query.get("texts").value_or("");
  request.has_list = call.query.flag("list");
  request.caller = call.caller.address;
  request.repeat_key = repeat_key(call);
  request.dry = call.request.is_head();
  try {
    auto file = services.downloads.download(request, services.gate.compile_permit(call.caller),
                                            services.freshness.epoch());
    if (!request.dry) {
      services.state.bump_downloads();
      services.metrics.downloads.add("plugin", download_reason(call, false));
    }
    return file_response(std::move(file));
  } catch (const domain::Failure& failure) {
    return services.errors.make(failure, call.request.id);
  }
}

}  // namespace goldsmith::handlers
