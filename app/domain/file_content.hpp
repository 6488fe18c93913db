// Whether the content of a file is what its name says, and whether it is anything at all (decision
// P29).
#pragma once

#include <string>
#include <string_view>

namespace goldsmith::domain {

// Why the content of a file is not what the end of its name promises, to be read behind its path:
// "is a Git LFS pointer, not a model". "" if it is, or if nothing is known of such names. A few
// first bytes are compared, in constant time: this proves no more than that nothing else was left
// in its place.
std::string content_defect(std::string_view name, std::string_view content);

// Whether a file only keeps its folder from being empty, as its name or its few words say, or is
// empty itself. Of a source it is never said: an include may be empty.
bool is_placeholder(std::string_view name, std::string_view content);

}  // namespace goldsmith::domain
