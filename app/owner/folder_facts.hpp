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
#include "app/pawn/registration.hpp"

namespace goldsmith::owner {

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

  // What the lists of AMX Mod X name; without a list all plugins count as loaded.
  bool has_plugin_lists = false;
  std::set<std::string, std::less<>> listed_plugins;

  // What the server loads: by liblist.gam, "" if that does not say; and by Metamod's list.
  std::string loaded_game;
  std::set<std::string, std::less<>> loaded_libraries;

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

// The path on a server that liblist.gam loads; "" if it names none.
std::string loaded_by_liblist(std::string_view content);
// Those that Metamod's plugins.ini names for Linux.
std::vector<std::string> loaded_by_metamod(std::string_view content);

// The first words of the lines of a list of AMX Mod X that are no comment.
std::vector<std::string> listed_names(std::string_view list);

}  // namespace goldsmith::owner
