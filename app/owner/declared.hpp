// What files of tools say is on a server (decision S32): lists of dependencies, recipes of
// containers, what LinuxGSM and Steam wrote down. Nothing in them is evaluated.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::owner {

// What is read of a file.
inline constexpr std::size_t kMostDeclared = 64U << 10;

struct Declaration {
  // `repository` and `thing` are always told; `name`, of a file that is downloaded, and `variable`,
  // which counts where the same file downloads nothing of that name, only where they mean a
  // component.
  enum class Kind { repository, thing, name, variable } kind = Kind::thing;
  std::string file;  // that says it
  std::string name;
  std::string version;  // "" if it says none

  friend bool operator==(const Declaration&, const Declaration&) = default;
};

// The paths of such files, from the folder of the server or from one that it is in.
std::span<const std::string_view> declaring_files();
// Those that say what LinuxGSM installs by the names in its list, which is kModList; the first that
// is there counts.
inline constexpr std::string_view kModList = "lgsm/mods/installed-mods.txt";
std::span<const std::string_view> mod_sources();

// At most a hundred things. `content`: the beginning of that file; behind kModList comes that of
// the source.
std::vector<Declaration> declarations_of(std::string_view file, std::string_view content);

}  // namespace goldsmith::owner
