// The verbs of `goldsmith bundle` (decision O29).
#pragma once

#include <set>
#include <string>

#include "app/cli/command.hpp"

namespace goldsmith::cli {

// What --parts names; by default all but overlays. Throws UsageError.
std::set<std::string, std::less<>> parts_of(const Arguments& arguments);
Option parts_option(const std::string& what);

Verb bundle_export_verb();
Verb bundle_import_verb();

}  // namespace goldsmith::cli
