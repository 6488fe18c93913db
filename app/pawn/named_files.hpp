// Which files a source names, and whether players read its texts. What is read may be hostile.
#pragma once

#include <cstddef>
#include <string_view>

#include "app/domain/plugin.hpp"
#include "app/pawn/source.hpp"

namespace goldsmith::pawn {

inline constexpr std::size_t kMaxPrecachedFiles = 512;

// What a source includes (PawnSource::includes), and what it alone precaches, so that the engine
// loads it when a map starts (decision S27): precache_model, precache_sound, precache_generic and
// the functions of fakemeta and engine of these names. Names are followed by Values::rows_at();
// what the source computes otherwise or changes at run time is not known, nor is a name that it
// defines in several ways. What is not compiled does not count, and neither do files that it looks
// for first (file_exists), or names that are unsafe as paths. Files are sorted, each once in any
// letter case; at most kMaxPrecachedFiles. And whether it has texts as of shows_foreign_text().
domain::NamedFiles files_named_in(const Source& source);
// The same of the content of any file. A map of the engine names the WADs that it takes textures of
// (domain::wads_of_map), and nothing else.
domain::NamedFiles named_files(std::string_view content);

// Whether a source has bytes above ASCII in texts that may reach players. What it registers of
// itself does not, nor do names of files, and what goes to the console of the server or to logs
// alone. A text with a name, of a `#define` or an array outside of functions, counts where its name
// is used. Macros with parameters are not read.
bool shows_foreign_text(const Source& source);
// Whether texts among these tokens have such bytes.
bool has_foreign_text(TokenSpan tokens);

}  // namespace goldsmith::pawn
