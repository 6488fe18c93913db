// Glob patterns over relative paths.
#pragma once

#include <string_view>

namespace goldsmith::base {

// True if `pattern` matches all of `path`: `*` and `?` stop at '/', `**` does not, and `**/` may
// be empty; all other characters stand for themselves. A pattern without '/' matches the last part
// of a path at any depth. Takes at most time in proportion to pattern × path, whatever the pattern.
bool matches_glob(std::string_view pattern, std::string_view path);

}  // namespace goldsmith::base
