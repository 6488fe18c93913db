// Numbers in memory that has many of them: in units of seven bits (of std::string) or of fifteen
// (of std::u16string, which are read faster), the lowest first; all units but the last have their
// highest bit set.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace goldsmith::service {

template <typename Char>
constexpr unsigned kUnitBits = std::numeric_limits<std::make_unsigned_t<Char>>::digits - 1;

template <typename Char>
void append_number(std::basic_string<Char>& units, std::uint64_t number) {
  constexpr std::uint64_t kMore = std::uint64_t{1} << kUnitBits<Char>;
  for (; number >= kMore; number >>= kUnitBits<Char>) {
    units += static_cast<Char>(kMore | (number & (kMore - 1)));
  }
  units += static_cast<Char>(number);
}

// Takes one off the beginning. Precondition: there is one.
template <typename Char>
std::uint64_t take_number(std::basic_string_view<Char>& units) {
  constexpr std::uint64_t kMore = std::uint64_t{1} << kUnitBits<Char>;
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += kUnitBits<Char>) {
    const std::uint64_t unit = static_cast<std::make_unsigned_t<Char>>(units.front());
    units.remove_prefix(1);
    number |= (unit & (kMore - 1)) << shift;
    if (unit < kMore) return number;
  }
}

}  // namespace goldsmith::service
