// What was found in the folder of a server, as whoever read it hands it over: names, digests and
// what files say. Paths are those on a server, "cstrike/…", wherever the folder begins.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/owner/declared.hpp"
#include "app/owner/library.hpp"
#include "app/pawn/amxx_file.hpp"

namespace goldsmith::owner {

// What the server loads, as its engine, Metamod and AMX Mod X find it.
struct Loaded {
  // What the engine loads, the file that says so, and whether it is a Metamod; "" if nothing says.
  std::string game;
  std::string game_by;
  bool has_metamod = true;

  // The game's library, which that is or which Metamod loads; "" if nothing says.
  std::string library;
  std::string library_by;

  // Metamod's list, "" if none is there, what says where it is, "" if nothing needs to, and what it
  // names for Linux, in its order.
  std::string list;
  std::string list_by;
  std::map<std::string, std::size_t, std::less<>> plugins;

  // What the lists of AMX Mod X name, below its plugins; also those of maps alone. Without a list
  // all plugins count as loaded.
  bool has_amxx_lists = false;
  std::set<std::string, std::less<>> amxx_plugins;
  std::set<std::string, std::less<>> amxx_plugins_of_maps;

  // What a build of the service executes last, as creator::settings_text(); "" if it does not.
  std::string settings;

  // Whether it is said what Metamod loads.
  bool has_plugins() const { return !has_metamod || !list.empty(); }
};

struct FolderFile {
  std::string path;
  std::string prefix;  // the first KnownFiles::kPrefix hex digits of its SHA-256
};

struct FolderFacts {
  std::vector<FolderFile> files;  // those that may be known

  // By path, of files whose content is not known.
  std::map<std::string, pawn::PluginRegistration, std::less<>> registered;
  std::map<std::string, Introduction, std::less<>> introduced;

  std::vector<Declaration> declared;

  Loaded loaded;

  // What was not looked at.
  std::uint64_t links = 0;
  std::uint64_t others = 0;  // devices, pipes and the like
  std::uint64_t odd = 0;     // names that a line can't have, with what is below them
  std::uint64_t large = 0;   // files that are larger than any known one
  std::uint64_t unread = 0;
  std::vector<std::string> unread_names;  // the first of them
  bool has_more_plugins = false;          // than kMostPlugins
  bool has_more_libraries = false;        // than kMostLibraries
};

// Files of unknown content that are opened.
inline constexpr std::size_t kMostPlugins = 1000;
inline constexpr std::size_t kMostLibraries = 100;

// Whether AMX Mod X itself would be in a file of that path.
inline bool is_platform_path(std::string_view path) {
  return path.find("addons/amxmodx/dlls/amxmodx_mm_") != path.npos && path.ends_with(".so");
}

// Whether that is a list that a build writes anew, or what executes the settings of a selection.
bool is_written(std::string_view path);

// The texts in the folder of a server, or in `lgsm/` beside it.
struct FolderTexts {
  // The beginning of a file; "" if it can't be read.
  std::function<std::string(std::string_view path)> read;
  // The names of the files in a folder, "" for that of the server: sorted, a hundred at most.
  std::function<std::vector<std::string>(std::string_view path)> names;
};
Loaded loaded_by(const FolderTexts& folder);

// The libraries that a list of Metamod names for Linux, in its order.
std::vector<std::string> listed_by_metamod(std::string_view list);

}  // namespace goldsmith::owner
