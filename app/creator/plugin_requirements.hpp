// What AMX Mod X must have to load the directory plugins of a build (decision S26). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/creator/plan.hpp"
#include "app/creator/providers.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/component.hpp"
#include "app/domain/natives.hpp"
#include "db/component_store.hpp"

namespace goldsmith::creator {

// A module or library that the selection lacks.
struct UnmetNeed {
  std::string slug;  // of the plugin
  std::string name;  // of the plugin
  domain::PluginNeed need;
};

// What neither a component of the selection ships nor one of `plugins` registers. Plugins with a
// module filter decide that themselves. Versions of the selection must have their files.
std::vector<UnmetNeed> unmet_needs(const Selection& selection,
                                   const std::vector<PluginOutcome>& plugins);

// Natives that a plugin calls and the selection lacks, sorted.
struct UnmetNatives {
  std::string slug;  // of the plugin
  std::string name;  // of the plugin
  std::vector<std::string> natives;
};

// What neither AMX Mod X and the modules of the selection offer nor one of `plugins` registers.
// Nothing while it is not known what one of them offers. Plugins with a native filter decide
// themselves. Versions of the selection must have their files.
std::vector<UnmetNatives> unmet_natives(const Selection& selection,
                                        const std::vector<PluginOutcome>& plugins);

// True if the version has an include of that name (with or without `.inc`, in any letter case).
// Precondition: `version` has its files.
bool has_include(const domain::ComponentVersion& version, std::string_view name);

// The plugin's source needs an include of `provider`, a component that is not in the selection.
MissingRequire missing_include(const PluginOutcome& plugin, const domain::Component& provider);

// The plugin needs `provider`, which has what it lacks.
MissingRequire missing_require(const UnmetNeed& unmet, const Provider& provider);
MissingRequire missing_require(const UnmetNatives& unmet, const Provider& provider);

// Adds to the plugin's outcome that it will not load, because no component ships what it lacks.
void note_unmet(const UnmetNeed& unmet, std::vector<PluginOutcome>& plugins);
void note_unmet(const UnmetNatives& unmet, std::vector<PluginOutcome>& plugins);

// Adds to the outcomes which modules AMX Mod X does not load on its own: shipped ones, and any of a
// class of which the binary names none.
void note_unlisted(const Selection& selection, std::vector<PluginOutcome>& plugins);

// Reads whose files are where on a server (decision P23).

// What any mirrored version of a component has in the game's folder, what the catalog names as
// configuration, without a glob, and what a server build generates. Throws db::Error.
domain::FileOwners file_owners(db::ComponentStore& components, const domain::Catalog& catalog);

}  // namespace goldsmith::creator
