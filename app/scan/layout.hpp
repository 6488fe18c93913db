// Which files of a source tree belong to a source, and where they are installed.
#pragma once

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
#include "app/scan/source_tree.hpp"

namespace goldsmith::scan {

struct Collected {
  domain::PluginVersion version;          // files with content; the source is the primary one
  std::vector<std::string> own_includes;  // contents
  std::vector<std::string> missing;       // what it includes that is nowhere
  pawn::AskedQuestions asked;
  std::vector<std::string> notes;  // sentences: what is left out, or comes from afar
};

// What every compile finds by itself, so that the source tree's is not taken.
using IsInstalled = std::function<bool(const std::string& include)>;

// The source with what it includes, which `reader` tells; of several files of one name the nearest,
// unless `answers` says another. Throws base::FileError for `source` itself alone, and what the
// reader throws.
Collected collect(const SourceTree& tree, const SourceFile& source, const IsInstalled& is_installed,
                  const pawn::Answers& answers, const pawn::TextReader& reader);
// Adds the configuration, dictionaries, sounds, models and sprites that the source names, but those
// in places that `owners` knows. `own`: the folder that is this plugin's alone, of which all of
// them are taken; "" = there is none.
void add_named_files(const SourceTree& tree, const SourceFile& source, std::string_view own,
                     const pawn::SourceFacts& facts, const pawn::Answers& answers,
                     const domain::FileOwners& owners, Collected& collected);

// Files of a source tree as files of a plugin, and the choice among several of one name.
struct Wanted {
  const SourceFile& source;
  std::string topic;  // of the question
  std::string name;   // as the source names it
};

// The nearest candidate; one that is not in the source's own tree is asked about if others differ.
// Null, with a note, if it is too large.
const SourceFile* choose(const SourceTree& tree, const Wanted& wanted,
                         const std::vector<const SourceFile*>& candidates,
                         const pawn::Answers& answers, Collected& collected);

// std::nullopt, with a note, if it can't be read.
std::optional<domain::PluginFile> plugin_file(const SourceFile& file, std::string filename,
                                              std::string install_dir,
                                              std::vector<std::string>& notes);

// The folder that stands for cstrike/ where `source` lies: the one above addons/amxmodx/scripting
// or scripting, or else its own.
std::string_view tree_of(std::string_view source);

// Legal names (decision R15) for what sources call otherwise.

// "1.0 Alpha" becomes 1.0-Alpha, ".3b" 0.3b. "0" if nothing legal is left.
domain::Version legal_version(std::string_view text);

// What a slug is made of, all in ASCII.
struct SlugSource {
  std::string_view name;    // of the plugin
  std::string_view file;    // of its source, without the extension
  std::string_view folder;  // that the source lies in
  std::string_view author;
};
// Made of the first of name and file that has more than two letters, or else any; of the folder
// where both are nothing but the word "plugin", or have no letters. If that slug is taken, with the
// author or a number behind it. Adds it to `taken`.
domain::Slug new_slug(const SlugSource& source, std::set<std::string>& taken);

}  // namespace goldsmith::scan
