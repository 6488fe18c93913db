#include "handlers/pages/toolchain_files.hpp"

#include <utility>

#include "app/service/toolchain_includes.hpp"

namespace goldsmith::handlers::pages {

http::Response ToolchainFiles::includes(const Call& call) {
  const auto toolchain = dependencies_.toolchains.find(call.path.front());
  if (!toolchain) return dependencies_.site.not_found();
  std::string fingerprint = dependencies_.toolchains.fingerprint(*toolchain);
  Archive& archive = archives_[toolchain->line];
  if (archive.fingerprint != fingerprint) {
    archive.bytes = service::zip_of_includes(*toolchain);
    archive.fingerprint = std::move(fingerprint);
  }
  http::Response response;
  response.is_taggable = true;
  response.body = archive.bytes;
  response.set_header("Content-Type", "application/zip");
  response.set_header("Content-Disposition",
                      http::attachment("amxmodx-" + toolchain->line + "-includes.zip"));
  response.set_header("Cache-Control", "no-cache");
  response.set_header("ETag", "\"" + archive.fingerprint + "\"");
  response.set_header("Vary", "Accept-Encoding");  // compressed as it is
  return response;
}

}  // namespace goldsmith::handlers::pages
