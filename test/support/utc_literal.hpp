// Times in tests: "2024-05-06 07:08:09"_utc.
#pragma once

#include <cstddef>
#include <string_view>

#include "app/domain/timestamp.hpp"

namespace goldsmith {

// Throws std::bad_optional_access for a text that is no time.
inline domain::Timestamp operator""_utc(const char* text, std::size_t size) {
  return domain::parse_timestamp(std::string_view(text, size)).value();
}

}  // namespace goldsmith
