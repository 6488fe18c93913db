// Which files a source names. What is read may be hostile.
#pragma once

#include <cstddef>
#include <string_view>

#include "app/domain/plugin.hpp"

namespace goldsmith::pawn {

inline constexpr std::size_t kMaxPrecachedFiles = 512;

// What a Pawn source includes (PawnSource::includes), and what it precaches by a literal, so that
// the engine loads it when a map starts (decision S27): precache_model, precache_sound,
// precache_generic and the functions of fakemeta and engine of these names. What is not compiled
// does not count, and neither do names that are put together, with `%`, or unsafe as paths. Sorted,
// each once; at most kMaxPrecachedFiles.
domain::NamedFiles named_files(std::string_view source);

}  // namespace goldsmith::pawn
