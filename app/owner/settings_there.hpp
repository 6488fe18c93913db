// Configuration that components look for in several places (decision S32).
#pragma once

#include <vector>

#include "app/owner/folder_facts.hpp"
#include "app/owner/installed.hpp"
#include "app/owner/known_files.hpp"
#include "app/owner/report.hpp"

namespace goldsmith::owner {

// Of components that are there: the files that are in one of these places, in the component's
// order, and the one in the place of a build that is none of them. Each path once.
std::vector<ReportedSetting> settings_there(const KnownFiles& known, const FolderFacts& facts,
                                            const Installed& installed);

}  // namespace goldsmith::owner
