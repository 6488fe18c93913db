// Which includes a source names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::compile {

// The names after `#include` and `#tryinclude`, each once, in their order; those of branches that
// are never compiled, too. At most 500. `source` may be hostile.
std::vector<std::string> included_names(std::string_view source);

// What the compilers try for a file that a source names so: the name itself, then with ".inc",
// ".p" and ".pawn".
std::vector<std::string> include_candidates(std::string_view name);

}  // namespace goldsmith::compile
