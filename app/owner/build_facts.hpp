// What the service tells of a build beside its files (decisions S19, S24): documents of a
// selection, which are not trusted more than files of the machine.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::owner {

// Lists that a build generates, and the one that loads what an update keeps beside it.
inline constexpr std::string_view kMetamodList = "cstrike/addons/metamod/plugins.ini";
inline constexpr std::string_view kPluginList = "cstrike/addons/amxmodx/configs/plugins-svc.ini";
inline constexpr std::string_view kKeptPlugins = "cstrike/addons/amxmodx/configs/plugins-kept.ini";
inline constexpr std::string_view kPluginFolder = "cstrike/addons/amxmodx/plugins/";

// What came of the plugins that were asked for: /server/plugins.txt.
struct PluginFacts {
  struct Plugin {
    std::string slug;
    std::string status;  // "added", "older", "skipped"
    std::string version;
    std::string reason;
  };
  std::vector<Plugin> plugins;
  std::map<std::string, std::string, std::less<>> owners;  // slugs, by path
};
std::optional<PluginFacts> parse_plugins(std::string_view text);

// Paths, one a line: /server/configuration.txt.
using PathSet = std::set<std::string, std::less<>>;
std::optional<PathSet> parse_paths(std::string_view text);

// /server/update.txt.
struct UpdateFacts {
  struct Component {
    std::string slug;
    std::string layer;
    std::string name;
    std::vector<std::string> libraries;  // paths of what is loaded
    std::string version = {};
    std::vector<std::string> defects = {};  // that are known of this version
  };
  // A file of the build that its component looks for in several places, in this order; the first
  // that is there counts. "@library/NAME" is beside the library that is loaded.
  struct Places {
    std::string file;
    std::size_t component = 0;
    std::vector<std::string> places;
    std::vector<std::string> identity;  // settings that decide which Steam ID a player gets
  };
  struct Secret {
    std::string file;
    std::string setting;        // the line without its value
    bool is_suggested = false;  // no value is made; the owner is told
  };
  // Of a library that Metamod's list of an owner may name.
  struct Other {
    std::string slug;
    std::string layer;
    std::string name;
    std::string
        reason;  // of the rule that forbids it beside this build; "" of one that it replaces
  };

  std::string download;  // the address of the archive
  std::vector<Component> components;
  std::vector<Places> places;
  std::vector<Secret> secrets;
  // By the name of the file, in lower case, and by the SHA-256 of what is known.
  std::map<std::string, Other, std::less<>> others;
  // Names of components that tell who a player is and are not in the build, likewise.
  std::map<std::string, std::string, std::less<>> authentication;

  const Places* places_of(std::string_view file) const;
};
// Lines of other kinds do not count. std::nullopt if it is not whole.
std::optional<UpdateFacts> parse_update_facts(std::string_view text);

// By its name, as decision S28 says of components that do not tell; of what is not there without
// which a build does not start none is.
bool is_named_as_configuration(std::string_view path);

}  // namespace goldsmith::owner
