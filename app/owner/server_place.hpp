// Where in a folder a server is (decision S32), for whoever can name what is in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/message.hpp"

namespace goldsmith::owner {

// The names in a folder. Paths are relative to it, joined by `/`; "" is the folder itself.
class FolderNames {
 public:
  virtual ~FolderNames() = default;
  virtual bool has_folder(std::string_view path) const = 0;
  virtual bool has_file(std::string_view path) const = 0;
  // The names of the folders in one, sorted.
  virtual std::vector<std::string> folders_in(std::string_view path) const = 0;
};

struct ServerPlace {
  std::string path;      // "" if the folder is the server's, or the game's
  bool is_game = false;  // the game's folder, which is "cstrike" on a server
};

// The server in a folder: itself, the game's folder, or one at most two levels below. std::nullopt,
// and `problem` says why. `folder`: what it is called.
std::optional<ServerPlace> place_of_server(const FolderNames& names, const std::string& folder,
                                           base::Message& problem);

}  // namespace goldsmith::owner
