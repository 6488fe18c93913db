// Which files of a heap belong to a source, and where they are installed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/file_owners.hpp"
#include "app/domain/plugin.hpp"
#include "app/scan/facts.hpp"
#include "app/scan/heap.hpp"
#include "app/scan/question.hpp"
#include "app/scan/text_reader.hpp"

namespace goldsmith::scan {

struct Collected {
  domain::PluginVersion version;          // files with content; the source is the primary one
  std::vector<std::string> own_includes;  // contents
  std::vector<std::string> missing;       // what it includes that is nowhere
  AskedQuestions asked;
  std::vector<std::string> notes;  // sentences: what is left out, or comes from afar
};

// What every compile finds by itself, so that the heap's is not taken.
using IsInstalled = std::function<bool(const std::string& include)>;

// The source with what it includes, which `reader` tells; of several files of one name the nearest,
// unless `answers` says another. Throws sys::FileError for `source` itself alone, and what the
// reader throws.
Collected collect(const Heap& heap, const HeapFile& source, const IsInstalled& is_installed,
                  const Answers& answers, const TextReader& reader);
// Adds the configuration, dictionaries, sounds, models and sprites that the source names, but those
// in places that `owners` knows. `own`: the folder that is this plugin's alone, of which all of
// them are taken; "" = there is none.
void add_named_files(const Heap& heap, const HeapFile& source, std::string_view own,
                     const SourceFacts& facts, const Answers& answers,
                     const domain::FileOwners& owners, Collected& collected);

// Where a file belongs below cstrike/, as its path tells; "" if it does not.
std::string install_dir_of(std::string_view path);

}  // namespace goldsmith::scan
