// Passwords, keys and addresses in what a plugin would publish (decision P22).
#pragma once

#include <string>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/scan/text_reader.hpp"

namespace goldsmith::cli {

// What was found in one file, for people: `FILE, line 12: px_db_pass is "sE…"`. Precondition: the
// file has its content. What `texts` throws passes.
std::vector<std::string> secrets_of(const domain::PluginFile& file, const scan::TextReader& texts);
// In all files of a version.
std::vector<std::string> secrets_of(const domain::PluginVersion& version,
                                    const scan::TextReader& texts);

}  // namespace goldsmith::cli
