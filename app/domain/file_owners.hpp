// Which files of a server are not a plugin's: those of components, what the catalog says is the
// owner's to edit, and what the service writes (decision P23).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "app/domain/plugin.hpp"

namespace goldsmith::domain {

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
  void remove_foreign(Plugin& plugin) const;

 private:
  std::unordered_map<std::string, std::string> owners_;  // by path in lower case
};

}  // namespace goldsmith::domain
