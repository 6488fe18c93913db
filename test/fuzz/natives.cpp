// Libraries of modules, which releases of others have: the natives that they offer.
#include <algorithm>

#include "app/domain/plugin.hpp"
#include "app/unpack/elf_natives.hpp"
#include "test/fuzz/target.hpp"

FUZZ_TARGET(natives, "app/unpack/elf_natives.cpp app/pawn/shared_object.cpp") {
  using namespace goldsmith;
  const std::vector<std::string> natives = unpack::natives_of(input);
  fuzz::require(natives.size() <= 16'384, "they are few");
  fuzz::require(std::is_sorted(natives.begin(), natives.end()), "they are sorted");
  fuzz::require(std::adjacent_find(natives.begin(), natives.end()) == natives.end(),
                "each is there once");
  for (const std::string& name : natives) {
    fuzz::require(domain::is_native_name(name), "and legal");
  }
}
