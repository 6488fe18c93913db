// Which files a source names. What is read may be hostile.
#pragma once

#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"

namespace goldsmith::pawn {

// What a Pawn source precaches by a literal, so that the engine loads it when a map starts
// (decision S27): precache_model, precache_sound, precache_generic and the functions of fakemeta
// and engine of these names. Comments do not count, and neither do names that are put together,
// with `%`, or unsafe as paths. Sorted, each once; at most kMaxPrecachedFiles.
inline constexpr std::size_t kMaxPrecachedFiles = 512;
std::vector<domain::PrecachedFile> precached_files(std::string_view source);

// That, and included_names().
domain::NamedFiles named_files(std::string_view source);

}  // namespace goldsmith::pawn
