// Which files a source names. What is read may be hostile.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/pawn/source.hpp"
#include "app/pawn/values.hpp"

namespace goldsmith::pawn {

inline constexpr std::size_t kMaxPrecachedFiles = 512;

// What a source precaches, so that the engine loads it when a map starts (decision S27):
// precache_model, precache_sound, precache_generic and the functions of fakemeta and engine of
// these names. Names are followed through constants, `#define`, arrays (each element, unless the
// source says which), what is formatted or copied into a variable before, and the parameters of the
// source's own functions. What the source computes otherwise or changes at run time is not known;
// neither is a name that it defines in several ways. What is not compiled does not count, and
// neither do files that it looks for first (file_exists), or names that are unsafe as paths.
// Sorted, each once; at most kMaxPrecachedFiles. `values`: of the source and its includes.
std::vector<domain::PrecachedFile> precached_files(const Source& source, Values& values);
// The same, as the source spells them: of sounds, below sound/.
std::vector<std::string> precached_names(const Source& source, Values& values);

// What a source includes (PawnSource::includes), and precached_files() of it alone, in its first
// 400,000 tokens.
domain::NamedFiles named_files(std::string_view source);

}  // namespace goldsmith::pawn
