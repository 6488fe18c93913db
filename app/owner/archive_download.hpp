// The archive of a build, or the partial one with what the installed build lacks of it (S31):
// downloaded, continued, checked and unpacked.
#pragma once

#include <string>
#include <string_view>

#include "app/owner/installation.hpp"
#include "app/owner/service.hpp"
#include "app/owner/update_plan.hpp"

namespace goldsmith::owner {

// Puts into kNew the files that the plan takes from the archive, each with the content of the list
// of checksums. Only an archive that has exactly the files of the list proves that the list is
// whole; a partial one is named by it. `list`: the text of the list. Throws Stop, before which
// nothing has changed; what was downloaded stays for the next run if it may be of use.
void fetch_archive(const Installation& installation, Service& service, const WantedBuild& build,
                   std::string_view list, const Plan& plan);

}  // namespace goldsmith::owner
