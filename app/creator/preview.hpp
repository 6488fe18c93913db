// Preview of a file for display (decision S12). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace goldsmith::creator {

inline constexpr std::size_t kPreviewLimit = 512 * 1024;

struct Preview {
  std::string content;            // UTF-8; "" if binary
  const char* charset = "utf-8";  // of the file, detected if it is not UTF-8; "" = in doubt
  bool binary = false;
  bool truncated = false;
};

// `start` has the first bytes of the file: min(size, limit) of them, and up to 3 more if the file
// is longer. `size` is that of the whole file. Throws what sys::from_code_page() throws.
Preview preview(std::string_view start, std::uint64_t size, std::size_t limit = kPreviewLimit);

}  // namespace goldsmith::creator
