// Compiles of what was scanned.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/base/config.hpp"
#include "app/compile/toolchain.hpp"
#include "app/scan/progress.hpp"
#include "app/scan/scanned_plugin.hpp"
#include "app/scan/surroundings.hpp"

namespace goldsmith::scan {

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
