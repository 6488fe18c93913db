// What files of a server offer and whose they are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::domain {

// Which natives the files of a server offer to its plugins (decision S26). Pure functions.
using ManifestFiles = std::vector<ManifestFile>;

// Sorted, each once; pointing into the files of `parts`, one for each component. std::nullopt if
// AMX Mod X is not among them, or it is not known what it, a module, or a compiled plugin of a
// component among them offers.
std::optional<std::vector<std::string_view>> offered_natives(
    std::span<const ManifestFiles* const> parts);

// What one of the files of a component is known to offer; empty if it is not known. Points into
// `file`.
std::span<const std::string> natives_of(const ManifestFile& file, const ManifestFiles& files);

// Which files of a server are not a plugin's: those of components, what the catalog says is the
// owner's to edit, and what the service writes (decision P23).
class FileOwners {
 public:
  // `path`: relative to the server root. `owner`: for people. The first one of a path stays.
  void add(std::string_view path, std::string_view owner);

  // Whose file is at that path, in any case of letters; "" = nobody's.
  std::string_view find(std::string_view path) const;

  // Sets the `owner` of each file of the version: but for the entry point and its binary, which
  // people ask for by the plugin's name.
  void mark(PluginVersion& version) const;
  // mark(), and takes out the files that is_foreign() then.
  void remove_foreign(PluginVersion& version) const;

  // Whether the version has a file that remove_foreign() may take out.
  static bool may_concern(const PluginVersion& version);

 private:
  std::unordered_map<std::string, std::string> owners_;  // by path in lower case
};

}  // namespace goldsmith::domain
