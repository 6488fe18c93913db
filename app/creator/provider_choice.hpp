// Which of those that have what the plugins of a selection lack is proposed (decision S26). Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/creator/providers.hpp"
#include "app/creator/selection.hpp"
#include "app/creator/server_plugins.hpp"
#include "app/domain/names.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::creator {

// Of those that are known.
using FamiliesOf =
    std::function<std::map<domain::Slug, db::PluginFamily>(const std::vector<domain::Slug>& slugs)>;

// What the selection lacks to load its plugins, with who has it: a component, or else the plugin of
// the directory that goes best with what is selected. Adds to the outcome of a plugin what nobody
// has. `families`: asked if several plugins have the same. Versions of the selection must have
// their files.
std::vector<MissingRequire> chosen_providers(const Selection& selection, CompiledPlugins& compiled,
                                             const Providers& providers,
                                             const FamiliesOf& families);

}  // namespace goldsmith::creator
