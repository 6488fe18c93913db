// Legal names (decision R15) for what sources call otherwise.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "app/domain/identifiers.hpp"

namespace goldsmith::scan {

// "1.0 Alpha" becomes 1.0-Alpha, ".3b" 0.3b. "0" if nothing legal is left.
domain::Version legal_version(std::string_view text);

// Made of `name`, or of `file` where `name` has too few letters of ASCII; if it is taken, with the
// author or a number behind it. Adds it to `taken`.
domain::Slug new_slug(std::string_view name, std::string_view file, std::string_view author,
                      std::set<std::string>& taken);

}  // namespace goldsmith::scan
