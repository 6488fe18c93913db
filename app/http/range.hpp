// Range requests (RFC 9110, section 14) for a file that nginx serves. nginx reads ranges itself;
// only its refusal can't be used. Its range filter runs after the filter that adds headers, and an
// error page does not take headers back: a 416 of nginx, from a JSON error page or from a proxied
// one, keeps the archive's ETag, Cache-Control, Content-Disposition and X-Svc-Build-Hash, so that a
// cache may store the error as the archive. So a worker refuses before it redirects to the file.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/http/request.hpp"

namespace goldsmith::http {

// True if nginx would refuse a Range header for a file of `size` bytes: no range overlaps the file,
// or one is not as nginx reads it, which knows no tabs, no empty elements of a list, and no numbers
// beyond 63 bits. False for units other than bytes: such a header is ignored.
bool is_unsatisfiable_range(std::string_view range, std::uint64_t size);

// What tells versions of a file apart.
struct Validators {
  std::string etag;           // strong; quoted
  std::int64_t modified = 0;  // seconds since 1970
};

// True if nginx gets as far as the Range header of a request for such a file: it has one, no
// condition is answered with 304 or 412, and If-Range holds.
bool looks_at_range(const Request& request, const Validators& file);

}  // namespace goldsmith::http
