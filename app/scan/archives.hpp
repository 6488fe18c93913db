// Archives that are scanned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/scan/host.hpp"
#include "app/scan/source_tree.hpp"

namespace goldsmith::scan {

// Tells how much a folder's disk has room for; for tests.
using FreeSpace = std::function<std::uint64_t(const std::filesystem::path& folder)>;

// Unpacks archives in the sandbox, to the folder for temporary files, in which nothing stays. All
// archives together unpack to at most `limits.unpacked_bytes`, and never to more than there is room
// for. What it returns refers to `progress`.
SourceTree::Unpack unpack_archives(const base::MirrorConfig& limits, Progress& progress,
                                   FreeSpace free_space = base::available_bytes);

}  // namespace goldsmith::scan
