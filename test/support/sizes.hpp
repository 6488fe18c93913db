#pragma once

#include <cstddef>

namespace goldsmith::test {

// The size of an input that is long to show that nothing takes longer and longer: with sanitizers,
// which take ten times as long and look for other mistakes, an eighth of it.
constexpr std::size_t long_input(std::size_t size) {
#ifdef GOLDSMITH_SANITIZED
  return size / 8;
#else
  return size;
#endif
}

}  // namespace goldsmith::test
