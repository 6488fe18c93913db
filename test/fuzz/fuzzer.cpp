// Runs the one target of the program with the inputs that libFuzzer makes.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "test/fuzz/target.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // For scripts/tools/fuzz-summary.
  const std::string_view files = goldsmith::fuzz::targets().front().fuzzes;
  std::fprintf(stderr, "FUZZED_FILES: %.*s\n", static_cast<int>(files.size()), files.data());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  goldsmith::fuzz::targets().front().run({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
