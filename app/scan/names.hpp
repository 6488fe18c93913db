// Plugins of one name, and of one description.
#pragma once

#include "app/scan/record.hpp"
#include "app/scan/scanned_plugin.hpp"
#include "app/scan/surroundings.hpp"

namespace goldsmith::scan {

// Of different plugins under one name, which their authors copied, one keeps it: the one whose file
// has the most of it. The others are named after their files, but for what may be versions of one
// another, and what is of other authors.
void name_apart(ScannedPlugins& plugins);

// A paragraph that begins what is said of three plugins of different names, or more, is about what
// they are part of: it is left out.
void describe_apart(ScannedPlugins& plugins);

// Asks what plugins of one name that compile are to each other, and joins those that are versions
// of one plugin. Asks whether plugins replace what the directory has by their slugs, unless that
// came from an earlier scan or from the same source.
void ask_about_names(ScannedPlugins& plugins, const ScanRecord& record, const Directory& directory);

}  // namespace goldsmith::scan
