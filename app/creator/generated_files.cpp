// Files that name what is chosen (plan.hpp).
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/creator/plan.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::creator {

namespace {

constexpr std::string_view kStockGameLibrary = "dlls/cs.so";

std::optional<std::string> first_of(const Selection& selection,
                                    std::optional<std::string> domain::Loads::* path) {
  for (const Selected& selected : selection.components) {
    const std::optional<std::string>& found = selected.component->loads.*path;
    if (found) return found;
  }
  return std::nullopt;
}

std::string game_library(const Selection& selection) {
  std::optional<std::string> path = first_of(selection, &domain::Loads::metamod_loader);
  if (!path) path = first_of(selection, &domain::Loads::gamedll);
  return path.value_or(std::string(kStockGameLibrary));
}

}  // namespace

// The engine loads every library that a gamedll_linux line names, so there is exactly one.
std::string liblist_gam(const Selection& selection) {
  return "// Written for this stack; the library below is what the server loads first.\n"
         "game \"Counter-Strike\"\n"
         "url_info \"www.counter-strike.net\"\n"
         "url_dl \"\"\n"
         "version \"1.6\"\n"
         "size \"184000000\"\n"
         "svonly \"0\"\n"
         "secure \"1\"\n"
         "type \"multiplayer_only\"\n"
         "cldll \"1\"\n"
         "hlversion \"1110\"\n"
         "nomodels \"1\"\n"
         "nohimodel \"1\"\n"
         "mpentity \"info_player_start\"\n"
         "gamedll \"dlls\\mp.dll\"\n"
         "gamedll_linux \"" +
         game_library(selection) +
         "\"\n"
         "trainmap \"tr_1\"\n";
}

std::string metamod_plugins_ini(const Selection& selection) {
  std::string lines;
  std::set<std::string_view> seen;
  for (const Selected& selected : selection.components) {
    const std::optional<std::string>& library = selected.component->loads.metamod_plugin;
    if (!library || !seen.insert(*library).second) continue;
    lines += "linux " + *library + "\n";
  }
  if (lines.empty()) return "; No component of this stack is loaded by Metamod.\n";
  return "; Written for this stack, in load order.\n" + lines;
}

// AMX Mod X takes a name that begins the name of a plugin that is loaded for that plugin, and skips
// it.
std::vector<std::string> loadable_order(const std::vector<std::string>& binaries) {
  std::vector<std::string> ordered;
  for (const std::string& binary : binaries) {
    const auto longer = std::find_if(ordered.begin(), ordered.end(), [&](std::string_view each) {
      return each.starts_with(binary);
    });
    ordered.insert(longer, binary);
  }
  return ordered;
}

std::string plugins_svc_ini(const std::vector<std::string>& binaries) {
  std::string text = "; Plugins of the directory that were chosen for this server.\n";
  for (const std::string& binary : loadable_order(binaries)) text.append(binary).append("\n");
  return text;
}

bool is_configuration(const Plan& plan, const PlannedFile& file) {
  switch (file.origin) {
    case Origin::generated:
      return false;
    case Origin::edited:
      return true;
    case Origin::plugin:
      return domain::is_named_as_configuration(file.path);
    case Origin::upstream:
      break;
  }
  const auto& from = std::get<PlannedFile::FromDepot>(file.source);
  return domain::is_configuration(*plan.selection.components[from.component].component, file.path);
}

std::string configuration_list(const Plan& plan) {
  std::string list;
  for (const PlannedFile& file : plan.files) {
    if (is_configuration(plan, file)) list.append(file.path).append("\n");
  }
  return list;
}

}  // namespace goldsmith::creator
