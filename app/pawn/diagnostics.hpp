// The output of a compiler, as clients may read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::pawn {

// How much of the output clients get (decision P6), in code points.
inline constexpr std::size_t kMaxOutput = 4000;

struct ShownPath {
  std::string prefix;  // as the compiler was told
  std::string shown;   // as the plugin's author knows it
};

// True if a line is an error whose message begins so: `FILE(LINE) : error 017: …` or `fatal error
// NNN: …`.
bool has_error(std::string_view text, std::string_view message = "");

// The include that a compiler did not find, as the source names it: of the last `fatal error NNN:
// cannot read from file: "NAME"`. "" if there is none, or if NAME is not a relative path of
// legal names.
std::string missing_include(std::string_view text);

// The first three errors of such text, one a line and each of at most 200 code points, with spaces
// for tabs; where there is none, the last line. `text` is as readable() returns it.
std::string first_errors(std::string_view text);

// `raw` with paths replaced, as base::only_printable() text of lines without a line feed at the
// end, cut after a complete line to at most kMaxOutput code points; ends with `last_line` (short
// valid UTF-8, or ""). If several prefixes match, the first one applies.
std::string readable(std::string_view raw, const std::vector<ShownPath>& paths,
                     std::string_view last_line);

}  // namespace goldsmith::pawn
