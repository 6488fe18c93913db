// The list of known files (decision S32), from the service or a file.
#pragma once

#include <optional>
#include <string>

#include "app/owner/known_files.hpp"
#include "app/owner/known_names.hpp"
#include "app/owner/program.hpp"

namespace goldsmith::owner {

// `file`: "" for that of the service. std::nullopt if it was told why not.
std::optional<KnownFiles> fetch_known_files(const Caller& caller, const std::string& file,
                                            const std::string& agent);

// The list of known names (decision S41). std::nullopt if there is none: of the service without a
// word, for the answer is general then.
std::optional<KnownNames> fetch_known_names(const Caller& caller, const std::string& file);

}  // namespace goldsmith::owner
