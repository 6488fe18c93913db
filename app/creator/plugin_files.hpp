// Directory plugins inside a server archive (decisions S6, S7).
#pragma once

#include <string>
#include <vector>

#include "app/creator/file_set.hpp"

namespace goldsmith::creator {

struct AddedPlugins {
  std::vector<const PluginOutcome*> included;  // compiled, with a file in the archive; by slug
  std::vector<std::string> binaries;           // to register, in the order of their plugins
  std::vector<std::string> notes;              // about everything left out
};

// Adds the files of every compiled plugin to `files`, which must already contain all other files
// except the list of these plugins. `plugins` must be sorted by slug; moves their contents out.
AddedPlugins add_plugins(std::vector<PluginOutcome>& plugins, FileSet& files);

}  // namespace goldsmith::creator
