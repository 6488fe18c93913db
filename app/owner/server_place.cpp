#include "app/owner/server_place.hpp"

#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

std::string joined(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder).append("/").append(name);
}

// Hidden ones have no server.
std::vector<std::string> seen_folders_in(const FolderNames& names, std::string_view path) {
  std::vector<std::string> folders = names.folders_in(path);
  std::erase_if(folders, [](const std::string& name) { return name.starts_with('.'); });
  return folders;
}

// Folders with a server, two levels below at most.
std::vector<std::string> servers_in(const FolderNames& names) {
  std::vector<std::string> servers;
  const auto add = [&](const std::string& path) {
    if (names.has_folder(joined(path, "cstrike"))) servers.push_back(path);
  };
  const std::vector<std::string> folders = seen_folders_in(names, "");
  for (const std::string& folder : folders) add(folder);
  for (const std::string& folder : folders) {
    for (const std::string& inner : seen_folders_in(names, folder)) add(joined(folder, inner));
  }
  return servers;
}

}  // namespace

std::optional<ServerPlace> place_of_server(const FolderNames& names, const std::string& folder,
                                           Message& problem) {
  if (names.has_folder("cstrike")) return ServerPlace{};
  // The game's folder, whatever it is called.
  if (names.has_folder("addons") || names.has_file("liblist.gam")) return ServerPlace{"", true};
  const std::vector<std::string> servers = servers_in(names);
  if (servers.size() == 1) return ServerPlace{servers.front()};
  const Message::Value named{"folder", shown(folder)};
  problem =
      servers.empty()
          ? Message("{folder} has neither a folder cstrike nor one of the game's", {named})
          : Message(
                "there is more than one server in {folder}: {servers}; name one",
                {named, {"servers", shown("./" + servers[0]) + ", " + shown("./" + servers[1])}});
  return std::nullopt;
}

}  // namespace goldsmith::owner
