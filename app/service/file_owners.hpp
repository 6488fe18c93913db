// Reads whose files are where on a server (decision P23).
#pragma once

#include "app/domain/component.hpp"
#include "app/domain/file_owners.hpp"
#include "db/component_store.hpp"

namespace goldsmith::service {

// What any mirrored version of a component has in the game's folder, what the catalog names as
// configuration, without a glob, and what a server build generates. Throws db::Error.
domain::FileOwners file_owners(db::ComponentStore& components, const domain::Catalog& catalog);

}  // namespace goldsmith::service
