// The steps of a scan, in the order in which Scanner takes them, and what they compare sources
// with: the directory, and what every compile finds by itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/config.hpp"
#include "app/compile/compile_inputs.hpp"
#include "app/compile/toolchain.hpp"
#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/text_reader.hpp"
#include "app/scan/host.hpp"
#include "app/scan/record.hpp"
#include "app/scan/scanned_plugin.hpp"

namespace goldsmith::scan {

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

// A toolchain, and what is included with it.
struct ScanLine {
  compile::Toolchain toolchain;
  std::string fingerprint;
  const compile::InstalledIncludes* includes;
  compile::ComponentIncludes components;
  std::optional<std::vector<std::string>> natives;  // of AMX Mod X, if they are known

  bool has(const std::string& include) const;
};

// Reads all sources of a source tree, until `until`, and gives them slugs. Their
// files together have no more bytes than the tree may have. `release`: the tag or release that they
// are, which names the version of those that say none; "" = none.
ScannedPlugins read_sources(
    const std::shared_ptr<const SourceTree>& tree, const pawn::TextReader& texts,
    const std::vector<ScanLine>& lines, const ScanRecord& record, const Directory& directory,
    const std::string& release, Progress& progress,
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

// Plugins of one name, and of one description.

// Of different plugins under one name, which their authors copied, one keeps it: the one whose file
// has the most of it. The others are named after their files, but for what may be versions of one
// another, and what is of other authors.
void name_apart(ScannedPlugins& plugins);

// A paragraph that begins what is said of three plugins of different names, or more, is about what
// they are part of: it is left out.
void describe_apart(ScannedPlugins& plugins);

// Plugins of earlier scans keep their slugs; the others get theirs in the order of the paths.
// `taken`: what earlier scans gave.
void give_slugs(ScannedPlugins& plugins, std::set<std::string> taken, const Directory& directory);

// Asks what plugins of one name that compile are to each other, and joins those that are versions
// of one plugin. Asks whether plugins replace what the directory has by their slugs, unless that
// came from an earlier scan or from the same source.
void ask_about_names(ScannedPlugins& plugins, const ScanRecord& record, const Directory& directory);

// The verdict of a line's toolchain on a content (compile::content_digest()), if one stands; for
// several threads.
using KnownVerdict = std::function<std::optional<domain::CompileVerdict>(
    const std::string& content_digest, const ScanLine& line)>;

struct CompileRequest {
  std::size_t jobs = 2;
  // What is not compiled by then waits for another scan.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
};
// Compiles each plugin with each toolchain, in several threads, unless all its verdicts are known.
void compile_sources(ScannedPlugins& plugins, const SourceTree& tree,
                     const compile::Toolchains& toolchains, const std::vector<ScanLine>& lines,
                     const base::CompileConfig& config, const KnownVerdict& known,
                     const CompileRequest& request, Progress& progress);

}  // namespace goldsmith::scan
