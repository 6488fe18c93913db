#include "app/http/cached_response.hpp"

#include <algorithm>
#include <array>

#include "app/sys/text.hpp"

namespace goldsmith::http {
namespace {

bool describes_body(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"Content-Type", "Content-Encoding",
                                                      "Content-Length"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](auto each) { return sys::equals_ignoring_case(each, name); });
}

}  // namespace

CachedResponse::CachedResponse(const Response& response) {
  std::string common;
  for (const auto& [name, value] : response.headers) {
    append_header_line(describes_body(name) ? bytes_ : common, name, value);
  }
  append_header_line(bytes_, "Content-Length", std::to_string(response.body.size()));
  common_ = bytes_.size();
  bytes_.append(common).append("\r\n");
  body_ = bytes_.size();
  bytes_ += response.body;
  bytes_.shrink_to_fit();
  const std::string& etag = *response.header("ETag");
  etag_ = bytes_.find(etag, common_);
  etag_size_ = etag.size();
}

}  // namespace goldsmith::http
