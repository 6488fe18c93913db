// What a person may see of a file before downloading it (decision S12). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace goldsmith::creator {

inline constexpr std::size_t kPreviewLimit = 512 * 1024;

struct Preview {
  std::string content;  // UTF-8; "" when binary
  bool binary = false;
  bool truncated = false;
};

// `start`: the file's first bytes, at least min(size, preview_limit) of them and up to 3 more where
// there are more; `size`: of the whole file.
Preview preview(std::string_view start, std::uint64_t size);

}  // namespace goldsmith::creator
