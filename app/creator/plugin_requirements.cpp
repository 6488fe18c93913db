#include "app/creator/plugin_requirements.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "app/sys/text.hpp"

namespace goldsmith::creator {
namespace {

constexpr std::string_view kModuleFolder = "cstrike/addons/amxmodx/modules/";
constexpr std::string_view kModuleEnding = "_amxx_i386.so";

// NAME of modules/NAME_amxx_i386.so; "" for any other path.
std::string_view module_of(std::string_view path) {
  if (!path.starts_with(kModuleFolder) || !path.ends_with(kModuleEnding)) return {};
  path.remove_prefix(kModuleFolder.size());
  path.remove_suffix(std::min(path.size(), kModuleEnding.size()));
  return path.find('/') == std::string_view::npos ? path : std::string_view();
}

// AMX Mod X opens the file of a module by its name, and ignores case in names of libraries.
bool is_module_for(std::string_view module, const domain::PluginNeed& need) {
  if (module.empty()) return false;
  return need.module.empty() ? sys::equals_ignoring_case(module, need.name) : module == need.module;
}

std::string kind_of(const domain::PluginNeed& need) {
  return need.is_class ? "a module of the class \"" : "the module or library \"";
}

MissingRequire missing(const UnmetNeed& unmet, std::string provider, const std::string& name) {
  return {"plugin:" + unmet.slug, std::move(provider),
          unmet.name + " needs " + name + ": AMX Mod X does not load it without " +
              kind_of(unmet.need) + unmet.need.name + "\"."};
}

// A class of modules whose members the binary does not name: modules.ini decides which is loaded.
bool is_any_of_class(const domain::PluginNeed& need) {
  return need.is_class && need.module.empty();
}

const domain::PluginNeeds* needs_of(const PluginOutcome& plugin) {
  const auto* compiled = std::get_if<CompiledPlugin>(&plugin.result);
  return compiled == nullptr ? nullptr : &compiled->needs;
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

}  // namespace

bool ships(const domain::ComponentVersion& version, const domain::PluginNeed& need) {
  return std::any_of(
      version.files.begin(), version.files.end(),
      [&](const domain::ManifestFile& file) { return is_module_for(module_of(file.path), need); });
}

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

bool has_include(const domain::ComponentVersion& version, std::string_view name) {
  std::string path = std::string(domain::kIncludeFolder) + std::string(name);
  if (!name.ends_with(".inc")) path += ".inc";
  return std::any_of(
      version.files.begin(), version.files.end(),
      [&](const domain::ManifestFile& file) { return sys::equals_ignoring_case(file.path, path); });
}

MissingRequire missing_include(const PluginOutcome& plugin, const domain::Component& provider) {
  const std::string name = provider.title();
  return {"plugin:" + plugin.slug, provider.slug.str(),
          plugin.name + " needs " + name + ": its source includes " + plugin.missing_include +
              ", which " + name + " has."};
}

MissingRequire missing_require(const UnmetNeed& unmet, const domain::Component& provider) {
  return missing(unmet, provider.slug.str(), provider.title());
}

MissingRequire missing_require(const UnmetNeed& unmet, const domain::Slug& plugin,
                               const std::string& name) {
  return missing(unmet, "plugin:" + plugin.str(), name.empty() ? plugin.str() : name);
}

void note_unmet(const UnmetNeed& unmet, std::vector<PluginOutcome>& plugins) {
  for (PluginOutcome& plugin : plugins) {
    if (plugin.slug != unmet.slug) continue;
    plugin.obstacles.push_back("AMX Mod X does not load it without " + kind_of(unmet.need) +
                               unmet.need.name + "\", which is in no part of this server.");
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
            "it needs " + kind_of(need) + need.name +
            "\", which AMX Mod X loads only if configs/modules.ini lists one.");
      } else if (need.module.empty() && !registered.contains(need.name) &&
                 is_shipped(selection, need)) {
        plugin.obstacles.push_back(
            "it needs the module \"" + need.name +
            "\", which AMX Mod X loads only if configs/modules.ini lists it.");
      }
    }
  }
}

}  // namespace goldsmith::creator
