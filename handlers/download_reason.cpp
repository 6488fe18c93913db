#include "handlers/download_reason.hpp"

#include <string>

namespace goldsmith::handlers {
namespace {

std::string_view header(const web::Request& request, std::string_view name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

std::string_view download_reason(const Call& call, bool takes_from) {
  if (takes_from && call.query.get("from")) return "update";
  return header(call.request, "sec-fetch-mode") == "navigate" ? "page" : "program";
}

bool continues_download(const web::Request& request) {
  const std::string_view range = header(request, "range");
  return !range.empty() && !range.starts_with("bytes=0-");
}

}  // namespace goldsmith::handlers
