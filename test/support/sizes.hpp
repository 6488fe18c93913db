#pragma once

#include <cstddef>

namespace goldsmith::test {

// The size of an input that is long to show that nothing takes longer and longer: without
// optimisation, and with sanitizers, which look for other mistakes, an eighth of it.
constexpr std::size_t long_input(std::size_t size) {
#ifdef NDEBUG  // the release build
  return size;
#else
  return size / 8;
#endif
}

}  // namespace goldsmith::test
