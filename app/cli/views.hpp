// Values as JSON, with the field names of the API and the manifests (decision O1).
#pragma once

#include <string_view>

#include "app/domain/addon.hpp"
#include "app/domain/api_key.hpp"
#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"
#include "app/json/value.hpp"
#include "db/overlay_store.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::cli {

json::Object view(const db::PluginOverview& plugin);
json::Object view(const domain::Plugin& plugin);
json::Object view(const domain::AddonPack& pack);
// Files of the versions appear where they are loaded.
json::Object view(const domain::Component& component);
json::Object view(const db::ListedSection& listed);
json::Object view(const domain::ApiKey& key);

// "own", "default" or "changed".
std::string_view name_of(db::SectionSource source);

}  // namespace goldsmith::cli
