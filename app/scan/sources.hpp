// What sources say, before anything is compiled.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "app/pawn/text_reader.hpp"
#include "app/scan/progress.hpp"
#include "app/scan/record.hpp"
#include "app/scan/scanned_plugin.hpp"
#include "app/scan/surroundings.hpp"

namespace goldsmith::scan {

// Reads all sources of a source tree, until `until`, and gives them slugs. Their
// files together have no more bytes than the tree may have.
ScannedPlugins read_sources(
    const std::shared_ptr<const SourceTree>& tree, const pawn::TextReader& texts,
    const std::vector<ScanLine>& lines, const ScanRecord& record, const Directory& directory,
    Progress& progress,
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

}  // namespace goldsmith::scan
