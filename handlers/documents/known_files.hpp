// What a file in the folder of a game server is, for a script that looks there (decision S32): the
// files of the mirrored versions and of the published plugins, by their SHA-256. Pure.
#pragma once

#include <string>
#include <vector>

#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"
#include "db/component_store.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers::documents {

// A published plugin with its published versions and their files, newest first.
struct KnownPlugin {
  db::PluginName name;
  std::vector<domain::PluginVersion> versions;
};

// The document: a line for each file below that of its version. Files whose SHA-256 is not
// recorded, and empty ones, which are like any other, are left out.
std::string known_files(const std::string& service, const domain::Catalog& catalog,
                        const domain::VersionFiles& files, const std::vector<KnownPlugin>& plugins,
                        const views::Fingerprints& fingerprints);

}  // namespace goldsmith::handlers::documents
