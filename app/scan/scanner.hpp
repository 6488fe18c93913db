// A scan from what is to be scanned to what was found.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/compile/toolchain.hpp"
#include "app/pawn/text_reader.hpp"
#include "app/scan/host.hpp"
#include "app/scan/record.hpp"
#include "app/scan/scanned_plugin.hpp"
#include "app/scan/source_tree.hpp"
#include "app/scan/steps.hpp"
#include "app/scan/topics.hpp"

namespace goldsmith::scan {

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
    std::string release = {};  // see read_sources()
  };
  // Throws what `add` does, base::FileError and base::Interrupted.
  ScannedPlugins scan(const Request& request, const ScanRecord& record);

  const std::vector<ScanLine>& lines() const { return lines_; }
  // With what it has read.
  const pawn::TextReader& texts() const { return texts_; }
  // So that no check compiles again what the scan has compiled: after the import of a plugin that
  // came of it, under the name of the version that was imported. Precondition: there is a database.
  void keep_verdicts(const domain::Slug& slug, const domain::Version& version,
                     const ScannedPlugin& scanned);

 private:
  const Host& host_;
  compile::Toolchains toolchains_;
  std::unique_ptr<Stored> stored_;
  std::vector<ScanLine> lines_;
  const pawn::TextReader texts_;
};

// The table in `file`, or, if that is "", of the catalog; std::nullopt, and it is said, if that has
// none. Throws domain::ManifestError.
std::optional<TopicTable> topic_table(const std::filesystem::path& file, const Host& host);
}  // namespace goldsmith::scan
