// Which files of a source tree belong to a source, and where they are installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/names.hpp"
#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/facts.hpp"
#include "app/pawn/text_reader.hpp"
#include "app/scan/question.hpp"
#include "app/scan/source_tree.hpp"

namespace goldsmith::scan {

struct Collected {
  domain::PluginVersion version;           // files with content; the source is the primary one
  std::vector<const SourceFile*> sources;  // of the files
  std::size_t includes = 0;                // how many files behind the source it includes
  std::uint64_t bytes = 0;                 // of all files
  std::vector<std::string> missing;        // what it includes that is nowhere
  AskedQuestions asked;
  std::vector<std::string> notes;  // sentences: what is left out, or comes from afar
  std::vector<Refusal> unfit;      // what it lacks, as what is there can't be it
};

// What every compile finds by itself, so that the source tree's is not taken.
using IsInstalled = std::function<bool(const std::string& include)>;

// The source with what it includes, which `reader` tells; of several files of one name the nearest,
// unless `answers` says another. Throws base::FileError for `source` itself alone, Failure if its
// includes have more than domain::kMostVersionBytes, and what the reader throws.
Collected collect(const SourceTree& tree, const SourceFile& source, const IsInstalled& is_installed,
                  const Answers& answers, const pawn::TextReader& reader);
// Adds the configuration, dictionaries, sounds, models and sprites that the source names, but those
// in places that `owners` knows. `own`: the folder that is this plugin's alone, of which all of
// them are taken; "" = there is none.
void add_named_files(const SourceTree& tree, const SourceFile& source, std::string_view own,
                     const pawn::SourceFacts& facts, const Answers& answers,
                     const domain::FileOwners& owners, Collected& collected);

// Files of a source tree as files of a plugin, and the choice among several of one name.
struct Wanted {
  const SourceFile& source;
  Topic topic;
  std::string name;  // as the source names it
};

// The nearest candidate; one that is not in the source's own tree is asked about if others differ.
// Of names that differ in letter case alone it is the one that the source spells. Null, with a
// note, if it is too large.
const SourceFile* choose(const SourceTree& tree, const Wanted& wanted,
                         const std::vector<const SourceFile*>& candidates, const Answers& answers,
                         Collected& collected);

// With its content. Throws base::FileError.
domain::PluginFile plugin_file(const SourceTree& tree, const SourceFile& file, std::string filename,
                               std::string install_dir);
// Whether a plugin can have a file with that content.
using Fits = std::function<bool(std::string_view content)>;
// Adds one that is installed there. Null if it does not fit or, with a note, can't be read; it is
// valid until the next one is added.
const domain::PluginFile* add_file(const SourceTree& tree, const SourceFile& file,
                                   std::string_view path, Collected& collected, const Fits& fits);
// What was refused of the tree, such as a link, may be what the source names: then it is told, and
// true.
bool tell_refused(const SourceTree& tree, std::string_view name, const PathIndex::From& from,
                  Collected& collected);

// The folder that stands for cstrike/ where `source` lies: the one above addons/amxmodx/scripting
// or scripting, or else its own.
std::string_view tree_of(std::string_view source);

}  // namespace goldsmith::scan
