// The encoding of the texts that players read (decision P31).
#pragma once

#include <string>
#include <vector>

#include "app/domain/plugin.hpp"

namespace goldsmith::compile {

// The code pages, sorted, of the sources that show players texts in another encoding than UTF-8,
// which is what the game shows: of the entry point and the includes. One that is in doubt does not
// count, nor do files that are not described.
std::vector<std::string> foreign_code_pages(const domain::PluginVersion& version);

// Converts the content of the entry point and the includes to UTF-8, each from the code page that
// was recorded, or is detected now. `line`: of the toolchain. That of 1.8.2 makes numbers of
// Unicode of the texts of an include in UTF-8, of which the game takes the last byte, unless
// something in the file is not UTF-8: a comment is added at its end.
//
// The digest of the content becomes that of what was converted: compiles of both are kept apart.
// Returns the name of a file whose code page is in doubt, which stays as it is; "" without one.
std::string convert_texts(domain::PluginVersion& version, std::string_view line);

}  // namespace goldsmith::compile
