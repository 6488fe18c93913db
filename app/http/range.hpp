// Range requests (RFC 9110, section 14) for a file that the front serves.
#pragma once

#include <cstdint>
#include <string_view>

namespace goldsmith::http {

// True when a Range header asks for bytes of which a file of `size` bytes has none, or for nothing
// that can be understood. Another unit than bytes asks for nothing: such a header is ignored.
bool is_unsatisfiable_range(std::string_view range, std::uint64_t size);

}  // namespace goldsmith::http
