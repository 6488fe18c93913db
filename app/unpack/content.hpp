// Kinds of files, by their first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace goldsmith::unpack {

enum class Content {
  windows,  // PE: .exe, .dll, whatever the name
  mac,      // Mach-O, thin or universal
  program,  // ELF that the kernel can start: ET_EXEC, or ET_DYN with an interpreter
  script,   // "#!"
  other
};

// Enough for every header that linkers write.
constexpr std::size_t kSniffed = 64U << 10;

// `start`: the file's first kSniffed bytes, or all of a shorter one.
Content sniff(std::string_view start);

// How many bytes a library of 32-bit x86 has at least, by its headers; std::nullopt if the file is
// another one. `start` as above.
std::optional<std::uint64_t> library_size(std::string_view start);

}  // namespace goldsmith::unpack
