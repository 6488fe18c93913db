// The verdicts of a version as the text of a column (0015_compile_verdicts.sql). Private to db/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"

namespace goldsmith::db {

// What is not as write_verdicts() writes it is left out: it is checked again.
std::vector<domain::CompileVerdict> read_verdicts(std::string_view text);
std::string write_verdicts(const std::vector<domain::CompileVerdict>& verdicts);

// The newer ones before the older ones, of each toolchain and fingerprint one. Hosts that share a
// database may have other toolchains: the last three of each line stay.
std::vector<domain::CompileVerdict> merged_verdicts(
    std::vector<domain::CompileVerdict> newer, const std::vector<domain::CompileVerdict>& older);

}  // namespace goldsmith::db
