// A rendered response that is sent more than once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/http/response.hpp"

namespace goldsmith::http {

// The header lines and the body of a 200 as the bytes that are sent, so that nothing but the
// status, Response::fixed_lines and what differs from request to request (Response::headers) is
// added.
class CachedResponse {
 public:
  // Precondition: a 200 with a body and an ETag.
  explicit CachedResponse(const Response& response);

  // Valid as long as this object, as the others.
  std::string_view etag() const { return whole().substr(etag_, etag_size_); }
  // The lines, the blank line and the body.
  std::string_view whole() const { return bytes_; }
  // The lines and the blank line, without the body, for HEAD.
  std::string_view head() const { return whole().substr(0, body_); }
  // The lines of a 304 and the blank line: without those that describe the body.
  std::string_view head_of_not_modified() const { return head().substr(common_); }

 private:
  std::string bytes_;
  std::size_t common_ = 0;  // where the lines begin that a 304 has, too
  std::size_t body_ = 0;
  std::size_t etag_ = 0;
  std::size_t etag_size_ = 0;
};

}  // namespace goldsmith::http
