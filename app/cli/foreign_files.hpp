// Files of plugins in places that are somebody else's (decision P23).
#pragma once

#include <string>
#include <vector>

#include "app/cli/context.hpp"
#include "app/domain/file_owners.hpp"

namespace goldsmith::cli {

// Of the database. Throws db::Error.
domain::FileOwners file_owners(Context& context);

// For people: `cstrike/addons/amxmodx/configs/users.ini is a file of AMX Mod X 1.10 (amxmodx)`, of
// each file that may not be a plugin's.
std::vector<std::string> foreign_files(domain::PluginVersion version,
                                       const domain::FileOwners& owners);

// Of all versions, each once.
std::vector<std::string> foreign_files(const domain::Plugin& plugin,
                                       const domain::FileOwners& owners);

// Whose place the version's binary takes, which may be a plugin's, and what comes of it; "" if its
// place is nobody's.
std::string foreign_binary(const domain::PluginVersion& version, const domain::FileOwners& owners);

}  // namespace goldsmith::cli
