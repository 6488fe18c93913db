// What `goldsmith plugin scan` found, plugin by plugin, and the steps that find it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/base/held_folder.hpp"
#include "app/compile/compile_inputs.hpp"
#include "app/compile/toolchain.hpp"
#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/facts.hpp"
#include "app/pawn/text_reader.hpp"
#include "app/scan/host.hpp"
#include "app/scan/record.hpp"
#include "app/scan/source_tree.hpp"
#include "app/scan/topics.hpp"

namespace goldsmith::scan {

inline constexpr const char* kSkip = "skip";  // the answer that leaves a plugin out

struct ScannedPlugin {
  std::string path;           // of the source
  std::string source_sha256;  // without what copies may differ in
  domain::Slug slug;
  pawn::SourceFacts facts;  // with what was answered
  pawn::Prose prose;        // of a README, or of the source
  Topics topics;            // of derive_topics()
  domain::PluginVersion version;
  std::vector<std::string> missing;  // includes that are nowhere
  pawn::AskedQuestions asked;
  std::vector<std::string> notes;
  std::map<std::string, std::string> results;  // toolchain -> "ok", "failed" or "unknown"
  std::vector<domain::CompileVerdict> verdicts;
  std::string toolchain;        // the newest that compiles it; "" = none does
  std::string compiled_sha256;  // of what that makes of it, and its fingerprint; "" = not compiled
  std::string why;              // it does not compile
  std::string refused;          // why it was not read; the rest is empty then
  std::string stock;            // whose own source it is, such as AMX Mod X 1.9.0
  std::string part_of;          // the slug of the plugin that it is another version of
  std::string former;           // the slug that earlier scans gave it
  bool is_skipped = false;
  bool is_late = false;                      // it was not read or not compiled in time
  std::vector<const ScannedPlugin*> others;  // versions of this plugin, from other sources

  std::string name() const;  // as the manifest has it
  std::string stem() const;  // of the source's file; "" = there is none
  // Equal for files that may be one plugin: without what tells copies and versions apart.
  std::string file_key() const;
  // "ready", "questions", "version", "skipped", "stock", "fails", "late", "refused" or "no plugin".
  std::string state() const;
  // With a manifest of its own.
  bool is_written() const { return !toolchain.empty() && part_of.empty() && !is_skipped; }
  // Questions that do not matter unless it compiles wait until it does.
  bool asks(const pawn::Question& question) const;
  // The questions that wait for an answer.
  std::vector<const pawn::Question*> open_questions() const;
};
using ScannedPlugins = std::vector<ScannedPlugin>;

// The plugins that are in the directory, and the places of others' files; none if there is no
// database.
struct Directory {
  struct Name {
    std::string name;
    std::string author;
  };
  std::map<std::string, Name> names = {};  // by slug
  // Whether a version of that plugin has a file with that SHA-1.
  std::function<bool(const domain::Slug& slug, const std::string& sha1)> has_file = {};
  domain::FileOwners owners = {};
  // The sources that components ship, whose plugins servers have: whose each is, by digest_of().
  std::map<std::string, std::string> stock = {};
};

// Of a source, without what differs between copies that are one plugin.
std::string digest_of(std::string_view source);

// Tells how much a folder's disk has room for; for tests.
using FreeSpace = std::function<std::uint64_t(const std::filesystem::path& folder)>;

// Unpacks archives in the sandbox, to the folder for temporary files, in which nothing stays. All
// archives together unpack to at most `limits.unpacked_bytes`, and never to more than there is room
// for (archives.cpp). What it returns refers to `progress`.
SourceTree::Unpack unpack_archives(const base::MirrorConfig& limits, Progress& progress,
                                   FreeSpace free_space = base::available_bytes);

// A toolchain, and what is included with it.
struct ScanLine {
  compile::Toolchain toolchain;
  std::string fingerprint;
  const compile::InstalledIncludes* includes;
  compile::ComponentIncludes components;
  std::optional<std::vector<std::string>> natives;  // of AMX Mod X, if they are known

  bool has(const std::string& include) const;
};

class Stored;  // what the database and the depot add to a scan

// Scans, with what they need of this host: the toolchains, and the directory unless there is no
// database.
class Scanner {
 public:
  // Throws Failure if no toolchain is installed, or if there is no database and it is needed.
  Scanner(const Host& host, bool needs_directory);
  ~Scanner();

  struct Request {
    std::function<void(SourceTree& tree)> add;  // what is scanned
    std::filesystem::path leave_out = {};       // see SourceTree
    const TopicTable* topics = nullptr;         // null = categories and tags are not derived
    std::size_t jobs = 2;
    SourceTree::Bounds bounds = {};
    // What is not read, or not compiled, by then waits for another scan.
    std::chrono::steady_clock::time_point reads_until =
        std::chrono::steady_clock::time_point::max();
    std::chrono::steady_clock::time_point compiles_until = reads_until;
  };
  // Throws what `add` does, base::FileError and base::Interrupted.
  ScannedPlugins scan(const Request& request, const ScanRecord& record);

  const std::vector<ScanLine>& lines() const { return lines_; }
  // So that no check compiles again what the scan has compiled: after the import of a plugin that
  // came of it, with the versions that were imported. Precondition: there is a database.
  void keep_verdicts(const domain::Slug& slug, const domain::PluginVersion& version,
                     const std::vector<domain::CompileVerdict>& verdicts);

 private:
  const Host& host_;
  compile::Toolchains toolchains_;
  std::unique_ptr<Stored> stored_;
  std::vector<ScanLine> lines_;
};

// The table in `file`, or, if that is "", of the catalog; std::nullopt, and it is said, if that has
// none. Throws domain::ManifestError.
std::optional<TopicTable> topic_table(const std::filesystem::path& file, const Host& host);
// How many questions wait for an answer, by topic, in a line; "" if none does.
std::string open_topics(const ScannedPlugins& plugins);

// Reads all sources of a source tree, until `until`, and gives them slugs (sources.cpp). Their
// files together have no more bytes than the tree may have.
ScannedPlugins read_sources(
    const SourceTree& tree, const pawn::TextReader& texts, const std::vector<ScanLine>& lines,
    const ScanRecord& record, const Directory& directory, Progress& progress,
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

// Of different plugins under one name, which their authors copied, one keeps it: the one whose file
// has the most of it. The others are named after their files, but for what may be versions of one
// another, and what is of other authors (names.cpp).
void name_apart(ScannedPlugins& plugins);

// The verdict of a line's toolchain on a content (compile::content_digest()), if one stands; for
// several threads.
using KnownVerdict = std::function<std::optional<domain::CompileVerdict>(
    const std::string& content_digest, const ScanLine& line)>;

// Compiles each plugin with each toolchain, in several threads (manifest.cpp), unless all its
// verdicts are known.
void compile_sources(ScannedPlugins& plugins, const SourceTree& tree,
                     const compile::Toolchains& toolchains, const std::vector<ScanLine>& lines,
                     const base::CompileConfig& config, const KnownVerdict& known,
                     const Scanner::Request& request, Progress& progress);

// Asks what plugins of one name that compile are to each other, and joins those that are versions
// of one plugin. Asks whether plugins replace what the directory has by their slugs, unless that
// came from an earlier scan or from the same source (names.cpp).
void ask_about_names(ScannedPlugins& plugins, const ScanRecord& record, const Directory& directory);

// Derives categories and tags.
void derive_topics(ScannedPlugins& plugins, const TopicTable& table);

struct ManifestOptions {
  std::string category;  // "" = what was derived, or else general
  bool is_published = false;
};

// The manifest of one, with files beside it.
json::Object manifest_of(const ScannedPlugin& plugin, const ManifestOptions& options);

// The manifest's text, and the files that it names, by path.
std::map<std::string, std::string> contents_of(const ScannedPlugin& plugin,
                                               const ManifestOptions& options);
// Those of one plugin, newest first.
std::vector<const ScannedPlugin*> versions_of(const ScannedPlugin& plugin);

// Writes those that compile to folders of their slugs. A folder in which a person has changed
// something is left as it is; where the scan would write something else than last time, that is
// in its folder `proposed`. Returns what a person should know, as sentences. Updates the record.
// Throws base::FileError.
std::vector<std::string> write_manifests(const base::HeldFolder& folder,
                                         const ScannedPlugins& plugins,
                                         const ManifestOptions& options, ScanRecord& record);
// Writes FOLDER/addon.json, a pack of those that are ready. Returns what a person should know, ""
// for nothing: one that was edited stays, and addon.json.proposed is written. Throws
// base::FileError.
std::string write_pack(const base::HeldFolder& folder, const ScannedPlugins& plugins,
                       const domain::Slug& pack, bool is_published, ScanRecord& record);

}  // namespace goldsmith::scan
