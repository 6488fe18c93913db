// Maps of the engine, which hostile archives have: the WADs that they name.
#include <algorithm>
#include <string>

#include "app/domain/component.hpp"
#include "app/domain/map_wads.hpp"
#include "test/fuzz/target.hpp"

FUZZ_TARGET(maps, "app/domain/map_wads.cpp") {
  using namespace goldsmith;
  const auto wads = domain::wads_of_map(input);
  fuzz::require(wads.size() <= 64 && std::is_sorted(wads.begin(), wads.end()),
                "they are sorted, and few");
  fuzz::require(std::adjacent_find(wads.begin(), wads.end()) == wads.end(), "each is there once");
  for (const std::string& name : wads) fuzz::require(domain::is_wad_name(name), "and legal");
  fuzz::require(wads.empty() || input.starts_with(std::string("\x1E\0\0\0", 4)),
                "only maps name any");
}
