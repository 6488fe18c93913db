// The natives that a module of AMX Mod X, or AMX Mod X itself, offers to plugins (decision S26).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::unpack {

// A larger one is not read.
inline constexpr std::size_t kMostModuleBytes = 32U << 20;

// Reads `file`, the bytes of a shared object of 32-bit x86 that may lie: its arrays of names and
// functions, as AMX Mod X takes them, each ended by an entry without a name. Their places are known
// by the relocations, what is a function by the table of sections. Returns legal names
// (domain::is_native_name), sorted, each once, at most 16,384; none if the file is another one, is
// damaged, or has no such table.
std::vector<std::string> natives_of(std::string_view file);

}  // namespace goldsmith::unpack
