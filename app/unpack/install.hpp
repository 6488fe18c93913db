// Where a file of an upstream archive goes, if anywhere (decision S14).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/component.hpp"

namespace goldsmith::unpack {

// The final path; std::nullopt if the name, a `drop` glob or the map leaves the file out. Throws
// RefusedEntry if the map produces an unsafe path or one of more than `max_length` bytes.
std::optional<std::string> final_path(const domain::InstallRules& rules, const std::string& path,
                                      std::uint64_t max_length);

bool matches_any(const std::vector<std::string>& globs, std::string_view path);

}  // namespace goldsmith::unpack
