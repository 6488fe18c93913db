// The bytes of a compiled plugin. Private to app/compile/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace goldsmith::compile {

// Precondition: `bytes` has `size` (at most 4) bytes from `offset` on.
std::uint32_t little_endian(std::string_view bytes, std::size_t offset, std::size_t size);

// The AMX image that a plugin file holds, at most the first `most` bytes of it: fewer where the
// file is damaged or states less. "" if the file is not valid.
std::string start_of_image(std::string_view file, std::size_t most);

}  // namespace goldsmith::compile
