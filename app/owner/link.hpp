// The link to the same server in the server creator (decision S32).
#pragma once

#include <string>
#include <vector>

#include "app/owner/folder_facts.hpp"
#include "app/owner/installed.hpp"
#include "app/owner/known_files.hpp"
#include "app/owner/report.hpp"

namespace goldsmith::owner {

struct LinkedPlugin {
  PluginId plugin = 0;
  std::string version;  // "" if it is not known
};

// Without `unlisted`.
ReportedLink link_to(const KnownFiles& known, const Installed& installed, const FolderFacts& facts,
                     const std::vector<LinkedPlugin>& plugins, bool pins);

}  // namespace goldsmith::owner
