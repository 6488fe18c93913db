// Files that plugins make the engine load when a map starts (decision S27). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::creator {

// A model, sprite, sound or other file, by the name of a literal in a source.
struct PrecachedFile {
  std::string path;       // relative to the game's folder, as "sound/misc/x.wav"; lower case
  bool is_model = false;  // models and sprites: a map does not start without them

  friend auto operator<=>(const PrecachedFile&, const PrecachedFile&) = default;
};

// What a Pawn source precaches by a literal: precache_model, precache_sound, precache_generic and
// the functions of fakemeta and engine of these names. Comments do not count, and neither do names
// that are put together, with `%`, or unsafe as paths. Sorted, each once; at most
// kMaxPrecachedFiles.
inline constexpr std::size_t kMaxPrecachedFiles = 512;
std::vector<PrecachedFile> precached_files(std::string_view source);

// True if the game libraries of Half-Life and Counter-Strike precache the file (`path` in lower
// case), so that every server has it. Servers have more: false says nothing.
bool is_in_base_game(std::string_view path);

// The remark on files that a plugin precaches and nothing in its server has; "" without any.
// Names a few of them, models first.
std::string missing_files_remark(const std::vector<PrecachedFile>& missing);

}  // namespace goldsmith::creator
