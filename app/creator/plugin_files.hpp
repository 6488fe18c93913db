// Directory plugins inside a server archive (decisions S6, S7).
#pragma once

#include <string>
#include <vector>

#include "app/creator/file_set.hpp"

namespace goldsmith::creator {

struct AddedPlugins {
  std::vector<const PluginOutcome*> included;  // with at least one file in the archive, by slug
  std::vector<std::string> binaries;           // to register, in the order of their plugins
  std::vector<std::string> notes;              // on what was left out
};

// Adds the files of every compiled plugin to `files`, which already holds everything else but the
// list of these plugins. Takes the contents out of `plugins`, which must be sorted by slug.
AddedPlugins add_plugins(std::vector<PluginOutcome>& plugins, FileSet& files);

}  // namespace goldsmith::creator
