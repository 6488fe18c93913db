// What a scan found of a plugin. Contents stay where they were found: of what thousands of plugins
// share, or bring, no more is in memory than what one of them needs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/pawn/facts.hpp"
#include "app/scan/question.hpp"
#include "app/scan/source_tree.hpp"
#include "app/scan/topics.hpp"

namespace goldsmith::scan {

struct ScannedFile {
  const SourceFile* source = nullptr;            // in the plugin's tree
  std::string path;                              // where it is installed, below cstrike/
  std::optional<domain::NamedFiles> named = {};  // as of domain::PluginFile
  bool is_shared = false;  // an include that other plugins of the scan have, too

  std::string filename() const;
  std::string install_dir() const;
};

struct ScannedPlugin {
  enum class State {
    ready,
    questions,
    version,    // of another plugin
    skipped,    // as a person says
    stock,      // a component's own
    fails,      // to compile
    late,       // not read or not compiled in time
    refused,    // not read
    no_plugin,  // nothing in it is called
  };

  std::string path;           // of the source
  std::string source_sha256;  // without what copies may differ in
  domain::Slug slug;
  pawn::SourceFacts facts;  // with what was answered
  pawn::Prose prose;        // of a README, or of the source
  Topics topics;            // of derive_topics()
  domain::Version version;
  std::vector<ScannedFile> files;  // the source first
  std::string content_digest;      // compile::content_digest() of them
  std::shared_ptr<const SourceTree> tree;
  std::vector<std::string> missing;  // includes that are nowhere
  std::vector<Refusal> unfit;        // see Collected
  AskedQuestions asked;
  std::vector<std::string> notes;
  std::map<std::string, domain::CompileResult> results;  // by toolchain
  std::vector<domain::CompileVerdict> verdicts;
  std::string toolchain;  // the newest that compiles it; "" = none does
  // Of the programs that all toolchains make of it, and of their fingerprints; "" = not compiled,
  // or not with each.
  std::string compiled_sha256;
  std::string why;      // it does not compile
  std::string refused;  // why it was not read; the rest is empty then
  std::string stock;    // whose own source it is, such as AMX Mod X 1.9.0
  std::string part_of;  // the slug of the plugin that it is another version of
  std::string former;   // the slug that earlier scans gave it
  bool is_skipped = false;
  bool is_late = false;                      // it was not read or not compiled in time
  bool is_guessed = false;                   // to be that plugin, by the name of its file
  std::vector<const ScannedPlugin*> others;  // versions of this plugin, from other sources

  std::string name() const;  // as the manifest has it
  std::string stem() const;  // of the source's file; "" = there is none
  // Equal for files that may be one plugin: without what tells copies and versions apart.
  std::string file_key() const;
  State state() const;
  // With a manifest of its own.
  bool is_written() const { return !toolchain.empty() && part_of.empty() && !is_skipped; }
  // Questions that do not matter unless it compiles wait until it does.
  bool asks(const Question& question) const;
  // The questions that wait for an answer.
  std::vector<const Question*> open_questions() const;

  // What it takes of memory, about.
  std::uint64_t bytes() const;
  // All files with their content, at most domain::kMostVersionBytes. Throws base::FileError, also
  // if one has changed since it was scanned. For several threads.
  domain::PluginVersion whole() const;
};
using ScannedPlugins = std::vector<ScannedPlugin>;

// As reports have them: "no plugin"; "ok", "failed", "unknown".
std::string_view to_string(ScannedPlugin::State state);
std::string_view text_of(domain::CompileResult result);

// The words of a name in lower case: runs of letters and digits; a capital behind a small letter
// begins another.
std::vector<std::string> words_in(std::string_view text);
// Whether two authors are one: who spells a name with other signs or letter case is the same.
bool is_same_author(const std::string& one, const std::string& other);
// Those of one plugin, newest first.
std::vector<const ScannedPlugin*> versions_of(const ScannedPlugin& plugin);
// How many questions wait for an answer, by topic, in a line; "" if none does.
std::string open_topics(const ScannedPlugins& plugins);

}  // namespace goldsmith::scan
