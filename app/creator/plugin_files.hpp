// Directory plugins inside a server archive (decisions S6, S7).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/message.hpp"
#include "app/creator/plan.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::creator {

// The files of a plan under construction: each path once, in archive order.
using FileSet = std::map<std::string, PlannedFile, std::less<>>;

// Adds a file given as bytes. Replaces an existing file at its path.
void put_bytes(FileSet& files, std::string_view path, std::string content, std::string_view from,
               Origin origin);

struct AddedPlugins {
  std::vector<const PluginOutcome*> included;  // compiled, with a file in the archive; by slug
  std::vector<RequestedPlugin> requested;      // what came of each, in the order of `plugins`
};

// Adds the files of every compiled plugin to `files`, which must already contain all other files
// except the list of these plugins. `plugins` must be sorted by slug; moves their binaries out.
AddedPlugins add_plugins(std::vector<PluginOutcome>& plugins, FileSet& files);

// True if a server has no use for both: each offers a library or a native that the other one does.
bool offer_the_same(const domain::PluginNeeds& one, const domain::PluginNeeds& other);

// What came of the plugins, for scripts (decision S19): "plugin SLUG STATUS VERSION REASON" of each
// that was asked for, with "-" in place of what is empty, followed by "file SLUG PATH" of each of
// its files. What was asked for and is no slug is percent-encoded.
std::string plugin_list(const Plan& plan);

// Files that a plugin makes the engine load, and a server lacks (decision S27). Pure.

// True if the game libraries of Half-Life and Counter-Strike precache the file (`path` in lower
// case), so that every server has it. Servers have more: false says nothing.
bool is_in_base_game(std::string_view path);

// What the sources of a version precache and neither the version nor the game has, each once; whose
// files are not described has nothing.
std::vector<domain::PrecachedFile> missing_files(const domain::PluginVersion& version);

// The remark on files that a plugin precaches and nothing in its server has; empty without any.
// Names a few of them, models first.
base::Message missing_files_remark(const std::vector<domain::PrecachedFile>& missing);

}  // namespace goldsmith::creator
