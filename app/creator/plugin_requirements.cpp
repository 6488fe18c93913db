#include "app/creator/plugin_requirements.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "app/base/text.hpp"
#include "app/creator/plan.hpp"
#include "app/domain/natives.hpp"

namespace goldsmith::creator {

using base::Message;
using base::N_;

namespace {

// AMX Mod X opens the file of a module by its name, and ignores case in names of libraries.
bool is_module_for(std::string_view module, const domain::PluginNeed& need) {
  if (module.empty()) return false;
  return need.module.empty() ? base::equals_ignoring_case(module, need.name)
                             : module == need.module;
}

Message thing(const domain::PluginNeed& need) {
  return {need.is_class ? N_("a module of the class \"{name}\"")
                        : N_("the module or library \"{name}\""),
          {{"name", need.name}}};
}

// `what` it is that AMX Mod X does not find.
Message needs(const std::string& plugin, const std::string& provider, Message what) {
  return Message("{plugin} needs {provider}: AMX Mod X does not load it without {what}.",
                 {{"plugin", plugin}, {"provider", provider}, {"what", std::move(what)}});
}

// A class of modules whose members the binary does not name: modules.ini decides which is loaded.
bool is_any_of_class(const domain::PluginNeed& need) {
  return need.is_class && need.module.empty();
}

const domain::PluginNeeds* needs_of(const PluginOutcome& plugin) {
  const auto* compiled = std::get_if<CompiledPlugin>(&plugin.result);
  return compiled == nullptr ? nullptr : &compiled->needs;
}

// Null of a plugin that is not in the build.
const domain::PluginNatives* natives_of(const PluginOutcome& plugin) {
  const domain::PluginNeeds* needs = needs_of(plugin);
  return needs != nullptr && needs->natives ? &*needs->natives : nullptr;
}

// The first three, in quotes.
Message functions(const std::vector<std::string>& natives) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> quoted;
  for (const std::string& native : natives) quoted.push_back('"' + native + '"');
  return {natives.size() == 1 ? N_("the function {names}") : N_("the functions {names}"),
          {{"names", base::some_of(quoted, kNamed)}}};
}

// The libraries that plugins register.
std::set<std::string_view> registered_by(const std::vector<PluginOutcome>& plugins) {
  std::set<std::string_view> registered;
  for (const PluginOutcome& plugin : plugins) {
    const domain::PluginNeeds* needs = needs_of(plugin);
    if (needs != nullptr) registered.insert(needs->registers.begin(), needs->registers.end());
  }
  return registered;
}

// True if the version has the file of a module that AMX Mod X loads for `need`, or of the library
// itself: modules/NAME_amxx_i386.so.
bool ships(const domain::ComponentVersion& version, const domain::PluginNeed& need) {
  return std::any_of(version.files.begin(), version.files.end(),
                     [&](const domain::ManifestFile& file) {
                       return is_module_for(domain::module_of(file.path), need);
                     });
}

bool is_shipped(const Selection& selection, const domain::PluginNeed& need) {
  return std::any_of(selection.components.begin(), selection.components.end(),
                     [&](const Selected& each) { return ships(*each.version, need); });
}

// True if AMX Mod X loads it for one of the plugins: then it is there for all.
bool is_loaded(const Selection& selection, const std::vector<PluginOutcome>& plugins,
               const domain::PluginNeed& need) {
  const auto loads_it = [&](const domain::PluginNeed& other) {
    return other.name == need.name && other.is_class == need.is_class && !other.module.empty() &&
           is_shipped(selection, other);
  };
  return std::any_of(plugins.begin(), plugins.end(), [&](const PluginOutcome& plugin) {
    const domain::PluginNeeds* needs = needs_of(plugin);
    return needs != nullptr &&
           std::any_of(needs->required.begin(), needs->required.end(), loads_it);
  });
}

std::string named(const std::string& title, const domain::Slug& slug) {
  return title + " (" + slug.str() + ")";
}

}  // namespace

std::vector<UnmetNeed> unmet_needs(const Selection& selection,
                                   const std::vector<PluginOutcome>& plugins) {
  const std::set<std::string_view> registered = registered_by(plugins);
  std::vector<UnmetNeed> unmet;
  for (const PluginOutcome& plugin : plugins) {
    const domain::PluginNeeds* needs = needs_of(plugin);
    if (needs == nullptr || needs->is_filtered) continue;
    for (const domain::PluginNeed& need : needs->required) {
      if (!need.is_class && registered.contains(need.name)) continue;
      if (is_any_of_class(need)) continue;
      if (is_shipped(selection, need) || is_loaded(selection, plugins, need)) continue;
      unmet.push_back({plugin.slug, plugin.name, need});
    }
  }
  return unmet;
}

std::vector<UnmetNatives> unmet_natives(const Selection& selection,
                                        const std::vector<PluginOutcome>& plugins) {
  std::vector<const domain::ManifestFiles*> parts;
  for (const Selected& each : selection.components) parts.push_back(&each.version->files);
  auto offered = domain::offered_natives(parts);
  if (!offered) return {};
  for (const PluginOutcome& plugin : plugins) {
    const domain::PluginNatives* natives = natives_of(plugin);
    if (natives == nullptr) continue;
    if (natives->offers_more) return {};
    offered->insert(offered->end(), natives->offers.begin(), natives->offers.end());
  }
  std::sort(offered->begin(), offered->end());
  std::vector<UnmetNatives> unmet;
  for (const PluginOutcome& plugin : plugins) {
    const domain::PluginNatives* natives = natives_of(plugin);
    if (natives == nullptr) continue;
    UnmetNatives lacks{plugin.slug, plugin.name, {}};
    std::set_difference(natives->imports.begin(), natives->imports.end(), offered->begin(),
                        offered->end(), std::back_inserter(lacks.natives));
    if (!lacks.natives.empty()) unmet.push_back(std::move(lacks));
  }
  return unmet;
}

bool has_include(const domain::ComponentVersion& version, std::string_view name) {
  std::string path = std::string(domain::kIncludeFolder) + std::string(name);
  if (!name.ends_with(".inc")) path += ".inc";
  return std::any_of(version.files.begin(), version.files.end(),
                     [&](const domain::ManifestFile& file) {
                       return base::equals_ignoring_case(file.path, path);
                     });
}

MissingRequire missing_include(const PluginOutcome& plugin, const domain::Component& provider) {
  return {"plugin:" + plugin.slug, provider.slug.str(),
          Message("{plugin} needs {provider}: its source includes {include}, which {provider} has.",
                  {{"plugin", plugin.name},
                   {"provider", provider.title()},
                   {"include", plugin.missing_include}})};
}

MissingRequire missing_require(const UnmetNeed& unmet, const Provider& provider) {
  return {"plugin:" + unmet.slug, provider.token(),
          needs(unmet.name, provider.title, thing(unmet.need))};
}

MissingRequire missing_require(const UnmetNatives& unmet, const Provider& provider) {
  return {"plugin:" + unmet.slug, provider.token(),
          needs(unmet.name, provider.title, functions(unmet.natives))};
}

void note_unmet(const UnmetNeed& unmet, std::vector<PluginOutcome>& plugins) {
  for (PluginOutcome& plugin : plugins) {
    if (plugin.slug != unmet.slug) continue;
    plugin.obstacles.push_back(
        Message("AMX Mod X does not load it without {what}, which is in no part of this server.",
                {{"what", thing(unmet.need)}}));
  }
}

void note_unmet(const UnmetNatives& unmet, std::vector<PluginOutcome>& plugins) {
  const bool are_of_geoip =
      std::all_of(unmet.natives.begin(), unmet.natives.end(),
                  [](const auto& native) { return native.starts_with("geoip_"); });
  for (PluginOutcome& plugin : plugins) {
    // Of a plugin that lacks a library, too, AMX Mod X names that.
    if (plugin.slug != unmet.slug || !plugin.obstacles.empty()) continue;
    // The GeoIP module is in AMX Mod X, and its database, of which the license asks for an
    // account, is not.
    plugin.obstacles.push_back(
        {are_of_geoip
             ? N_("AMX Mod X does not load it without {what}, which no part of this server has. "
                  "The GeoIP module offers it once GeoLite2-City.mmdb or GeoLite2-Country.mmdb is "
                  "in cstrike/addons/amxmodx/data.")
             : N_("AMX Mod X does not load it without {what}, which no part of this server has."),
         {{"what", functions(unmet.natives)}}});
  }
}

void note_unlisted(const Selection& selection, std::vector<PluginOutcome>& plugins) {
  const std::set<std::string_view> registered = registered_by(plugins);
  for (PluginOutcome& plugin : plugins) {
    const domain::PluginNeeds* needs = needs_of(plugin);
    if (needs == nullptr || needs->is_filtered) continue;
    for (const domain::PluginNeed& need : needs->required) {
      if (is_loaded(selection, plugins, need)) continue;
      if (is_any_of_class(need)) {
        plugin.obstacles.push_back(
            Message("it needs {what}, which AMX Mod X loads only if configs/modules.ini lists one.",
                    {{"what", thing(need)}}));
      } else if (need.module.empty() && !registered.contains(need.name) &&
                 is_shipped(selection, need)) {
        plugin.obstacles.push_back(
            Message("it needs the module \"{name}\", which AMX Mod X loads only if "
                    "configs/modules.ini lists it.",
                    {{"name", need.name}}));
      }
    }
  }
}

domain::FileOwners file_owners(db::ComponentStore& components, const domain::Catalog& catalog) {
  domain::FileOwners owners;
  for (const std::string_view path : {kLiblistPath, kMetamodListPath, kPluginListPath}) {
    owners.add(path, "the server creator");
  }
  components.each_game_file(
      [&](std::string_view path, const domain::Slug& slug, const std::string& name) {
        owners.add(path, named(name.empty() ? slug.str() : name, slug));
      });
  for (const domain::Component& component : catalog.components()) {
    for (const std::string& glob : component.configuration) {
      if (glob.find_first_of("*?[") == glob.npos) {
        owners.add(glob, named(component.title(), component.slug));
      }
    }
  }
  return owners;
}

}  // namespace goldsmith::creator
