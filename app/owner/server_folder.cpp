#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "app/owner/folder.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

bool has_folder(int folder, std::string_view path) {
  return static_cast<bool>(open_folder_in(folder, path));
}

bool has_game(int folder) { return has_folder(folder, "cstrike"); }

// The game's folder, whatever it is called.
bool is_game(int folder) {
  return has_folder(folder, "addons") || open_file_in(folder, "liblist.gam");
}

bool has_engine(int folder) {
  return has_folder(folder, "valve") || open_file_in(folder, "hlds_linux") ||
         open_file_in(folder, "engine_i486.so");
}

std::vector<std::string> folders_in(int folder) {
  std::vector<std::string> names = names_in(folder).value_or(std::vector<std::string>());
  std::erase_if(names, [&](const std::string& name) {
    return name.starts_with('.') || !has_folder(folder, name);
  });
  return names;
}

// Names of folders with a server, two levels below at most.
std::vector<std::string> servers_in(int folder) {
  std::vector<std::string> servers;
  const auto add = [&](const std::string& path) {
    const Descriptor opened = open_folder_in(folder, path);
    if (opened && has_game(opened.get())) servers.push_back("./" + path);
  };
  const std::vector<std::string> names = folders_in(folder);
  for (const std::string& name : names) add(name);
  for (const std::string& name : names) {
    const Descriptor opened = open_folder_in(folder, name);
    if (!opened) continue;
    for (const std::string& inner : folders_in(opened.get())) add(name + "/" + inner);
  }
  return servers;
}

std::string real_path(const std::string& path) {
  char* const resolved = ::realpath(path.c_str(), nullptr);
  std::string result = resolved == nullptr ? path : resolved;
  std::free(resolved);
  return result;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Descriptor open_folder_in(int folder, std::string_view path) {
  Descriptor at(::openat(folder, ".", kFolderFlags));
  while (!path.empty() && at) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    at = Descriptor(::openat(at.get(), std::string(path.substr(0, slash)).c_str(), kFolderFlags));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return at;
}

std::optional<std::vector<std::string>> names_in(int folder) {
  const int copy = ::openat(folder, ".", kFolderFlags);
  DIR* const opened = copy < 0 ? nullptr : ::fdopendir(copy);
  if (opened == nullptr) {
    if (copy >= 0) ::close(copy);
    return std::nullopt;
  }
  std::vector<std::string> names;
  while (const dirent* const each = ::readdir(opened)) {
    const std::string_view name = each->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(opened);
  std::ranges::sort(names);
  return names;
}

Descriptor open_file_in(int folder, std::string_view path) {
  constexpr int kFileFlags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const std::size_t slash = path.rfind('/');
  const std::string name(path.substr(slash + 1));
  Descriptor above;
  if (slash != path.npos) {
    above = open_folder_in(folder, path.substr(0, slash));
    if (!above) return Descriptor();
    folder = above.get();
  }
  Descriptor file(::openat(folder, name.c_str(), kFileFlags | O_NOATIME));
  if (!file && errno == EPERM) {  // another's file
    file = Descriptor(::openat(folder, name.c_str(), kFileFlags));
  }
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Descriptor();
  return file;
}

std::optional<std::string> read_beginning(int file, std::size_t most) {
  std::string content(std::min<std::size_t>(most, 64U << 10), '\0');
  std::size_t size = 0;
  while (size < most) {
    if (size == content.size()) content.resize(std::min(most, 2 * size));
    const ssize_t count =
        ::pread(file, content.data() + size, content.size() - size, static_cast<off_t>(size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  content.resize(size);
  return content;
}

std::optional<ServerFolder> find_server(const std::string& folder, Message& problem) {
  const Message::Value named{"folder", folder};
  const auto opened_by_name = [](const std::string& path) {
    return Descriptor(::open(path.c_str(), kFolderFlags & ~O_NOFOLLOW));
  };
  Descriptor root = opened_by_name(folder);
  if (!root) {
    problem = errno == ENOENT || errno == ENOTDIR ? Message("there is no folder {folder}", {named})
                                                  : Message("cannot enter {folder}", {named});
    return std::nullopt;
  }
  const std::string given = real_path(folder);
  if (has_game(root.get())) return ServerFolder{std::move(root), given, "", given};
  if (is_game(root.get())) {
    const std::string above = parent_of(given);
    Descriptor server = opened_by_name(above);
    if (given.ends_with("/cstrike") && server && has_engine(server.get())) {
      return ServerFolder{std::move(server), above, "", given};
    }
    return ServerFolder{std::move(root), given, "cstrike/", given};
  }
  const std::vector<std::string> servers = servers_in(root.get());
  if (servers.empty()) {
    problem = Message("{folder} has neither a folder cstrike nor one of the game's", {named});
    return std::nullopt;
  }
  if (servers.size() > 1) {
    problem = Message("there is more than one server in {folder}: {servers}; name one",
                      {named, {"servers", servers[0] + ", " + servers[1]}});
    return std::nullopt;
  }
  const std::string inner = servers.front().substr(2);
  Descriptor server = open_folder_in(root.get(), inner);
  return ServerFolder{std::move(server), given + (given == "/" ? "" : "/") + inner, "", given};
}

}  // namespace goldsmith::owner
