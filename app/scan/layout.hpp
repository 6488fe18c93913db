// Which files of a heap belong to a source, and where they are installed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/scan/facts.hpp"
#include "app/scan/heap.hpp"

namespace goldsmith::scan {

struct Collected {
  domain::PluginVersion version;          // files with content; the source is the primary one
  std::vector<std::string> own_includes;  // contents
  std::vector<std::string> questions;     // sentences: what the scan chose without being sure
  std::vector<std::string> notes;         // sentences: what is left out, or missing
};

// `is_installed`: whether every toolchain has an include, so that the heap's is not taken. Reads
// the files of the heap: throws sys::FileError for `source` itself alone.
Collected collect(const Heap& heap, const HeapFile& source,
                  const std::function<bool(const std::string& include)>& is_installed);
// Adds the configuration, dictionaries, sounds, models and sprites that the source names.
void add_named_files(const Heap& heap, const HeapFile& source, const SourceFacts& facts,
                     Collected& collected);

}  // namespace goldsmith::scan
