// Range requests (RFC 9110, section 14) for a file that nginx serves. nginx reads ranges itself;
// only its refusal can't be used. Its range filter runs after the filter that adds headers, and an
// error page does not take headers back: a 416 of nginx, from a JSON error page or from a proxied
// one, keeps the archive's ETag, Cache-Control, Content-Disposition and X-Svc-Build-Hash, so that a
// cache may store the error as the archive. So a worker refuses before it redirects to the file.
#pragma once

#include <cstdint>
#include <string_view>

namespace goldsmith::http {

// True if no range of a Range header overlaps a file of `size` bytes, or if the header is
// malformed. False for units other than bytes: such a header is ignored.
bool is_unsatisfiable_range(std::string_view range, std::uint64_t size);

}  // namespace goldsmith::http
