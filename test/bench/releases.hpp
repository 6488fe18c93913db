// Releases as upstream projects publish them, made up: configuration, programs, maps, sounds.
#pragma once

#include <cstdint>
#include <filesystem>

namespace goldsmith::bench {

// Fills `depot` with components whose canonical ZIPs have about `bytes` together, through
// mirror::normalise. `scratch` holds one release at a time. Equal arguments give equal bytes.
void fill_depot(const std::filesystem::path& depot, const std::filesystem::path& scratch,
                std::uint64_t bytes);

}  // namespace goldsmith::bench
