// Numbers in memory that has many of them: seven bits a byte, the lowest first; all bytes but the
// last have their highest bit set.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace goldsmith::service {

inline void append_number(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) bytes += static_cast<char>(0x80U | (number & 0x7FU));
  bytes += static_cast<char>(number);
}

// Takes one off the beginning. Precondition: there is one.
inline std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return number;
  }
}

}  // namespace goldsmith::service
