// Random data that can be had again: the tests print their seed, and take it from TEST_SEED.
// TEST_ROUNDS, 1 by default, multiplies how much they try. See seed.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace goldsmith::test {

inline std::mt19937 seeded_generator() {
  const char* const given = std::getenv("TEST_SEED");
  const std::uint32_t seed =
      given != nullptr ? static_cast<std::uint32_t>(std::stoul(given)) : std::random_device{}();
  std::printf("TEST_SEED=%u\n", seed);
  return std::mt19937(seed);
}

inline int rounds(int usual) {
  const char* const given = std::getenv("TEST_ROUNDS");
  return given != nullptr ? std::max(1, static_cast<int>(usual * std::stod(given))) : usual;
}

}  // namespace goldsmith::test
