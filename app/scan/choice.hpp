// Files of a heap as files of a plugin, and the choice among several of one name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/scan/heap.hpp"
#include "app/scan/layout.hpp"
#include "app/scan/question.hpp"

namespace goldsmith::scan {

struct Wanted {
  const HeapFile& source;
  std::string topic;  // of the question
  std::string name;   // as the source names it
};

// The nearest candidate; one that is not in the source's own tree is asked about if others differ.
// Null, with a note, if it is too large.
const HeapFile* choose(const Heap& heap, const Wanted& wanted,
                       const std::vector<const HeapFile*>& candidates, const Answers& answers,
                       Collected& collected);

// std::nullopt, with a note, if it can't be read.
std::optional<domain::PluginFile> plugin_file(const HeapFile& file, std::string filename,
                                              std::string install_dir,
                                              std::vector<std::string>& notes);

// The folder that stands for cstrike/ where `source` lies: the one above addons/amxmodx/scripting
// or scripting, or else its own.
std::string_view tree_of(std::string_view source);

}  // namespace goldsmith::scan
