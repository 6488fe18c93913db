// A ZIP with the files that an input names.
#pragma once

#include <string>
#include <string_view>

#include "app/archive/zip.hpp"
#include "test/fuzz/memory_file.hpp"
#include "test/fuzz/target.hpp"

namespace goldsmith::fuzz {

// Of the lines "PATH=CONTENT", in their order; of the first, if there are more than a plugin may
// have files.
inline std::string zip_of(std::string_view lines) {
  const base::UniqueFd fd = memory_file();
  archive::ZipWriter writer(fd.get(), "memory");
  constexpr int kMostLines = 20'000;
  for (int i = 0; i < kMostLines && !lines.empty(); ++i) {
    std::string_view line = take_until(lines, '\n');
    const std::string_view path = take_until(line, '=');
    // Most of the time would go into zlib's tables.
    const auto method = line.size() < 32 ? archive::Method::stored : archive::Method::deflated;
    throws<archive::ZipError>([&] { writer.add(path, line, false, method); });
  }
  writer.finish();
  return content_of(fd);
}

}  // namespace goldsmith::fuzz
