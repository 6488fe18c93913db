// Which natives the files of a server offer to its plugins (decision S26). Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "app/domain/component.hpp"

namespace goldsmith::domain {

using ManifestFiles = std::vector<ManifestFile>;

// Sorted, each once; pointing into the files of `parts`, one for each component. std::nullopt if
// AMX Mod X is not among them, or it is not known what it, a module, or a compiled plugin of a
// component among them offers.
std::optional<std::vector<std::string_view>> offered_natives(
    std::span<const ManifestFiles* const> parts);

// True if one of the files is known to offer the native.
bool offers_native(const ManifestFiles& files, std::string_view native);

}  // namespace goldsmith::domain
