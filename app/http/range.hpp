// Range requests (RFC 9110, section 14) for a file that nginx serves.
#pragma once

#include <cstdint>
#include <string_view>

namespace goldsmith::http {

// True if no range of a Range header overlaps a file of `size` bytes, or if the header is
// malformed. False for units other than bytes: such a header is ignored.
bool is_unsatisfiable_range(std::string_view range, std::uint64_t size);

}  // namespace goldsmith::http
