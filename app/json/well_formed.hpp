// Bytes that are not UTF-8, and numbers, in what becomes JSON. Private to json/.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace goldsmith::json {

// `text` with U+FFFD for each byte that is not part of well-formed UTF-8. A view of `text`, or of
// `storage` if something was replaced.
std::string_view well_formed(std::string_view text, std::string& storage);

// Writes a whole number without a fraction, 0 and not 0.0. Infinities and NaN, which JSON does not
// have, are null.
template <typename Output>
void write_number(Output& writer, double number) {
  constexpr double kExact = 1e15;  // below it, every whole number
  const bool is_negative_zero = number == 0 && std::signbit(number);
  if (!std::isfinite(number)) {
    writer.Null();
  } else if (std::abs(number) < kExact && std::trunc(number) == number && !is_negative_zero) {
    writer.Int64(static_cast<std::int64_t>(number));
  } else {
    writer.Double(number);
  }
}

}  // namespace goldsmith::json
