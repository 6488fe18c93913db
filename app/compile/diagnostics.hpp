// What a compiler said, as a client may read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::compile {

// Decision P6.
inline constexpr std::size_t kMaxOutput = 4000;  // code points

struct ShownPath {
  std::string prefix;  // as the compiler was told
  std::string shown;   // as the plugin's author knows it
};

// True when a line is an error: `FILE(LINE) : error 017: …` or `fatal error`.
bool has_error(std::string_view text);

// The same for an error whose message begins so: `fatal error NNN: MESSAGE`.
bool has_error(std::string_view text, std::string_view message);

// The include that a compiler did not find, as the source names it: of the last `fatal error NNN:
// cannot read from file: "NAME"`. Empty when there is none, or NAME is no relative path of legal
// names.
std::string missing_include(std::string_view text);

// `raw` with paths replaced, as valid UTF-8 without a line feed at the end, cut behind a whole line
// to at most kMaxOutput code points; `last_line` (valid UTF-8, short, may be empty) ends it. Of
// several prefixes that fit the first one counts.
std::string readable(std::string_view raw, const std::vector<ShownPath>& paths,
                     std::string_view last_line);

}  // namespace goldsmith::compile
